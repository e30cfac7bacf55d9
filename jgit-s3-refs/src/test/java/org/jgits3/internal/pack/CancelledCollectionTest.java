// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** A collection by JGit that is cancelled, through a handle that stays open. */
@Holds(
    "S3ObjDatabase: No part buffer or count of parts is lost: each is given back exactly once, "
        + "after the last attempt to send it, even in a full heap or after a cancelled collection")
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class CancelledCollectionTest {
  private static final int PART = UploadOptions.MIN_PART_SIZE;

  @TempDir Path directory;

  private static void push(S3Repository repository, int seed) throws IOException {
    ObjectId id = PackBytes.ofSize(2 * PART, seed).pushTo(repository);
    TestRepositories.createRef(repository, "refs/heads/b" + seed, id);
  }

  @Test
  void it_holds_no_memory_that_pushes_wait_for() throws Exception {
    String oneBuffer = "[s3 \"upload\"]\npartSize = " + PART + "\nbuffers = 1";
    try (S3RepositoryManager manager = TestRepositories.manager(directory, oneBuffer);
        S3Repository repository = manager.createRepository("r")) {
      push(repository, 1);
      EmptyProgressMonitor cancelling =
          new EmptyProgressMonitor() {
            private boolean writing;

            @Override
            public void beginTask(String title, int total) {
              writing = title.startsWith("Writing objects");
            }

            @Override
            public boolean isCancelled() {
              return writing && manager.uploads().buffersInUse() > 0;
            }
          };
      assertThatThrownBy(() -> new DfsGarbageCollector(repository).pack(cancelling))
          .isInstanceOf(IOException.class);
      try (S3Repository other = manager.openRepository("r")) {
        push(other, 2);
      }
    }
  }
}

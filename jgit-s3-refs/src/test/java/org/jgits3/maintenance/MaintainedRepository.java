// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.TestRepositories;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a repository that one process maintains while another uses it. */
abstract class MaintainedRepository {
  static final String MAIN = "refs/heads/main";

  @TempDir Path directory;
  @AutoClose MaintenanceFixture it;

  /** Value of the branch. */
  @Nullable private ObjectId last;

  @BeforeEach
  void open() throws Exception {
    it = new MaintenanceFixture(directory);
  }

  Set<String> stored() throws IOException {
    return MaintenanceFixture.stored(it.plain);
  }

  Set<String> listed() throws IOException {
    return MaintenanceFixture.listed(it.manifest());
  }

  /** Pushes a commit of its own to a branch, by a process that uses the repository. */
  void push(String ref) throws IOException {
    try (S3Repository r = it.users.openRepository("r", Purpose.request())) {
      String message = "on " + ref + " " + it.manifest().generation();
      TestRepositories.force(r, ref, TestRepositories.commit(r, message));
    }
  }

  /** Pushes commits to the branch, one after the other; returns the last. */
  ObjectId push(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      String message = "commit " + it.manifest().generation();
      last =
          last == null
              ? TestRepositories.commit(it.user, message)
              : TestRepositories.commit(it.user, message, last);
      TestRepositories.force(it.user, MAIN, last);
    }
    return last;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.ConcurrentTasks.Task;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** Pushes of clients that pause while they send, beside pushes of others. */
@Holds(
    "PackOutput, ReadBack, PackUpload: A client that pauses in a push occupies no part buffer and "
        + "delays no other push")
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class SlowClientsTest {
  private static final int PART = UploadOptions.MIN_PART_SIZE;
  private static final int SIZE = 2 * PART + PART / 2;

  /** Bytes after which a client pauses: within the first part, and within the second. */
  private static final List<Integer> PAUSES = List.of(PART / 2, PART + PART / 2);

  @TempDir Path directory;

  private final CountDownLatch paused = new CountDownLatch(PAUSES.size());
  private final CountDownLatch pushed = new CountDownLatch(1);

  /** Ends a read after some bytes, and lets the next one wait until another push is done. */
  private final class PausingStream extends FilterInputStream {
    private int left;

    PausingStream(InputStream in, int left) {
      super(in);
      this.left = left;
    }

    @Override
    public int read(byte[] dst, int offset, int length) throws IOException {
      if (left == 0) {
        paused.countDown();
        awaitPush();
        left = Integer.MAX_VALUE;
      }
      int n = super.read(dst, offset, Math.min(length, left));
      left -= Math.max(0, n);
      return n;
    }

    private void awaitPush() throws IOException {
      try {
        pushed.await();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }
  }

  @Test
  void clients_that_pause_do_not_hold_up_the_pushes_of_others() throws Exception {
    String oneBuffer = "[s3 \"upload\"]\npartSize = " + PART + "\nbuffers = 1";
    try (S3RepositoryManager manager = TestRepositories.manager(directory, oneBuffer);
        S3Repository repository = manager.createRepository("r")) {
      PackBytes other = PackBytes.ofSize(SIZE, PAUSES.size());
      List<PackBytes> packs = new ArrayList<>(List.of(other));
      List<Task> tasks = new ArrayList<>();
      tasks.add(
          () -> {
            paused.await();
            PackBytes.push(repository, new ByteArrayInputStream(other.bytes()));
            pushed.countDown();
          });
      for (int i = 0; i < PAUSES.size(); i++) {
        int pause = PAUSES.get(i);
        PackBytes pack = PackBytes.ofSize(SIZE, i);
        packs.add(pack);
        tasks.add(
            () ->
                PackBytes.push(
                    repository, new PausingStream(new ByteArrayInputStream(pack.bytes()), pause)));
      }
      ConcurrentTasks.run(tasks);
      for (PackBytes pack : packs) {
        assertThat(repository.getObjectDatabase().has(pack.commit())).isTrue();
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.internal.storage.dfs.DfsPackCompactor;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the bytes kept of a pack while it is written. */
@Holds(
    "ReadBack, SpillDirectory, S3ObjDatabase: A pack under way takes at most 1 MiB of memory. A "
        + "larger one is in one local file, always deleted.")
class ReadBackTest {
  private static final long SEED = 11;
  private static final int LARGER = 3_234_567;

  @TempDir Path directory;
  @TempDir Path spills;

  private static void fill(ReadBack readBack, byte[] bytes) throws IOException {
    Random random = new Random(SEED);
    for (int at = 0; at < bytes.length; ) {
      int n = Math.min(1 + random.nextInt(300_000), bytes.length - at);
      readBack.append(bytes, at, n);
      at += n;
    }
  }

  private static void compare(ReadBack readBack, byte[] bytes) throws IOException {
    Random random = new Random(SEED);
    for (int i = 0; i < 200; i++) {
      int at = random.nextInt(bytes.length);
      ByteBuffer got = ByteBuffer.allocate(1 + random.nextInt(5_000));
      int n = readBack.read(at, got);
      assertThat(n).isPositive();
      assertThat(Arrays.copyOf(got.array(), n)).isEqualTo(Arrays.copyOfRange(bytes, at, at + n));
    }
    assertThat(readBack.read(bytes.length, ByteBuffer.allocate(1))).isEqualTo(-1);
  }

  @Test
  void reads_what_was_written_from_one_file() throws Exception {
    byte[] bytes = RandomBytes.of(LARGER, SEED);
    try (ReadBack readBack = new ReadBack(new SpillDirectory(spills))) {
      fill(readBack, bytes);
      compare(readBack, bytes);
    }
    assertThat(spills).isEmptyDirectory();
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void a_process_that_is_killed_leaves_no_file() throws Exception {
    try (ReadBack readBack = new ReadBack(new SpillDirectory(spills))) {
      fill(readBack, RandomBytes.of(LARGER, SEED));
      assertThat(spills).isEmptyDirectory(); // the file in use has no name any more
    }
  }

  private S3RepositoryManager manager(Path spillDirectory) throws Exception {
    return TestRepositories.manager(
        directory, "[s3 \"receive\"]\nspillDirectory = " + spillDirectory);
  }

  @Test
  void collecting_and_compacting_never_touch_the_local_disk() throws Exception {
    try (S3RepositoryManager manager = manager(spills);
        S3Repository r = manager.createRepository("r")) {
      for (int i = 0; i < 3; i++) {
        ObjectId id = PackBytes.ofSize(LARGER, i).pushTo(r);
        TestRepositories.createRef(r, "refs/heads/b" + i, id);
      }
    }
    try (S3RepositoryManager diskless = manager(directory.resolve("missing"));
        S3Repository r = diskless.openRepository("r")) {
      assertThatThrownBy(() -> PackBytes.ofSize(LARGER, 3).pushTo(r))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("spillDirectory");
      DfsPackCompactor compactor = new DfsPackCompactor(r);
      DfsPackFile[] packs = r.getObjectDatabase().getPacks();
      compactor.add(packs[0]).add(packs[1]).compact(NullProgressMonitor.INSTANCE);
      assertThat(r.manifest().packs()).hasSize(2);
      assertThat(new DfsGarbageCollector(r).pack(NullProgressMonitor.INSTANCE)).isTrue();
      assertThat(r.manifest().packs()).hasSize(1);
    }
  }
}

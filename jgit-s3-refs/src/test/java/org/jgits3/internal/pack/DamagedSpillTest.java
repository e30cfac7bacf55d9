// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevObject;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A local file of a received pack whose bytes change on the disk. */
@Holds(
    "ReadBack, PackOutput: An upload from the local file of a received pack has the bytes that "
        + "were received, or fails")
@EnabledOnOs(OS.LINUX) // where a process can find the file, which has no name
class DamagedSpillTest {
  private static final int LARGE = 24 << 20;
  private static final int DAMAGE = 20 << 20; // not uploaded yet when the client has sent 23 MiB

  @TempDir Path directory;
  @TempDir Path spills;

  private void damage() throws IOException {
    int found = 0;
    try (var open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open) {
        String file = "";
        try {
          file = Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException closed) {
          continue;
        }
        if (file.startsWith(spills + "/")) {
          try (FileChannel spill =
              FileChannel.open(descriptor, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            assertThat(spill.read(one, DAMAGE)).isEqualTo(1);
            one.put(0, (byte) ~one.get(0));
            one.flip();
            spill.write(one, DAMAGE);
          }
          found++;
        }
      }
    }
    assertThat(found).isEqualTo(1);
  }

  private S3RepositoryManager manager() throws Exception {
    return TestRepositories.manager(directory, "[s3 \"receive\"]\nspillDirectory = " + spills);
  }

  private boolean accepted(S3Repository repository, byte[] pack) {
    FilterInputStream in =
        new FilterInputStream(new ByteArrayInputStream(pack)) {
          private int left = pack.length - (1 << 20);

          @Override
          public int read(byte[] dst, int offset, int length) throws IOException {
            int n = super.read(dst, offset, length);
            if (left > 0 && left <= n) {
              damage();
            }
            left -= Math.max(0, n);
            return n;
          }
        };
    try {
      PackBytes.push(repository, in);
      return true;
    } catch (IOException e) {
      System.out.println("refused: " + e);
      return false;
    }
  }

  @Test
  void a_pack_is_refused_or_stored_as_it_was_received() throws Exception {
    PackBytes pack = PackBytes.ofSize(LARGE, 5);
    boolean accepted;
    try (S3RepositoryManager manager = manager();
        S3Repository repository = manager.createRepository("r")) {
      accepted = accepted(repository, pack.bytes());
    }
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig()); // as after a restart
    try (S3RepositoryManager manager = manager();
        S3Repository repository = manager.openRepository("r");
        ObjectReader reader = repository.newObjectReader();
        ObjectWalk walk = new ObjectWalk(reader)) {
      assertThat(repository.manifest().packs()).hasSize(accepted ? 1 : 0);
      if (accepted) {
        walk.markStart(walk.parseCommit(pack.commit()));
        while (walk.next() != null) {}
        for (RevObject each; (each = walk.nextObject()) != null; ) {
          byte[] bytes = reader.open(each).getBytes(Integer.MAX_VALUE);
          assertThat(ForgedPack.id(each.getType(), bytes)).isEqualTo(each.copy());
        }
      }
    }
  }
}

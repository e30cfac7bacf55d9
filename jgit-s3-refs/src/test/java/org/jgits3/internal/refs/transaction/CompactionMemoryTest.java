// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the memory of a compaction besides the table it starts from. */
@Holds(
    "Compaction, SnapshotUpload: Besides its tables, a compaction takes no memory in proportion "
        + "to the refs")
@Timeout(120)
class CompactionMemoryTest {
  /** Bytes of all names together, about. */
  private static final int NAMES = 1 << 26;

  private static final int MIB = 1 << 20;

  /** Two buffers for the upload, and what the process needs whatever it does. */
  private static final int REST = 40;

  @TempDir Path directory;

  private static RefSnapshot snapshot(S3Repository r) throws IOException {
    return r.manifest().refs().base().orElseThrow();
  }

  @Test
  void a_heap_for_one_snapshot_will_do() throws Exception {
    assertThat(compacted(20_000).hasRecent()).isFalse();
  }

  @Test
  void a_heap_for_the_base_will_do_for_a_recent_table() throws Exception {
    assertThat(compacted(RefFold.FEW).hasRecent()).isTrue();
  }

  /** Compacts a repository of so many refs, and returns them. */
  private Refs compacted(int refs) throws Exception {
    RefSnapshot before;
    ObjectId moved;
    String part = "x".repeat(199) + '/';
    String names = "refs/" + part.repeat(NAMES / refs / part.length());
    String updated = names + refs / 2;
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        S3Repository r = manager.createRepository("r")) {
      ObjectId first = TestRepositories.commit(r, "first");
      moved = TestRepositories.commit(r, "second", first);
      createRefs(r, first, names, refs);
      before = snapshot(r);
      assertThat(TestRepositories.update(r, updated, moved))
          .isEqualTo(RefUpdate.Result.FAST_FORWARD);
    }

    long heap = before.size() / MIB + REST;
    assertThat(heap).as("less than two snapshots").isLessThan(2 * before.size() / MIB - REST / 2);
    compactInAProcessOfItsOwn(heap);

    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        S3Repository r = manager.openRepository("r")) {
      assertThat(r.manifest().refs().tableIds()).isNotEqualTo(List.of(before.id()));
      assertThat(snapshot(r).size()).isEqualTo(before.size());
      assertThat(r.manifest().refs().overlay()).isEmpty();
      assertThat(r.exactRef(updated).getObjectId()).isEqualTo(moved);
      return r.manifest().refs();
    }
  }

  private static void createRefs(S3Repository r, ObjectId id, String directory, int refs)
      throws IOException {
    TestRepositories.createAll(r, id, refs, i -> directory + i);
  }

  private void compactInAProcessOfItsOwn(long heap) throws Exception {
    List<String> options = List.of("-Xmx" + heap + "m", "-XX:+UseG1GC");
    assertThat(ForkedJvm.run(options, CompactingProcess.class, directory.toString()))
        .endsWith("compacted");
  }

  /** A process that compacts, and says so. */
  static final class CompactingProcess {
    private CompactingProcess() {}

    /**
     * Compacts.
     *
     * @param args directory of the store
     */
    public static void main(String[] args) throws IOException, ConfigInvalidException {
      Config config = new Config();
      config.setBoolean("s3", "refs", "keepRawBytes", false);
      config.setInt("s3", "upload", "partSize", 5 * MIB);
      config.setInt("s3", "upload", "buffers", 2);
      try (S3RepositoryManager manager =
              new S3RepositoryManager(
                  new DirectoryObjectStore(Path.of(args[0])), S3Settings.from(config, "test"));
          S3Repository r = manager.openRepository("r")) {
        Folds.fold(r);
      }
      System.out.println("compacted");
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.eclipse.jgit.errors.NotSupportedException;
import org.eclipse.jgit.internal.storage.commitgraph.CommitGraph;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ReflogReader;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.ReaderClock;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of JGit's contract for packs and side files. */
@Holds(
    "NewPacks: A pack is listed with all its files, or refused: no reftable, multi-pack index, or "
        + "pack without index")
class PackContractTest {
  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;

  @BeforeEach
  void create() throws Exception {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    manager = TestRepositories.manager(directory);
    repository = manager.createRepository("r");
  }

  private ObjectId commit(ObjectId... parents) throws IOException {
    ObjectId id = TestRepositories.commit(repository, "commit", parents);
    TestRepositories.force(repository, "refs/heads/main", id);
    return id;
  }

  @Test
  void a_collection_writes_changed_path_filters_if_configured() throws Exception {
    TestRepositories.configure(repository, "commitGraph", "readChangedPaths", "true");
    ObjectId id = commit();
    manager.maintenance("r").repack(NullProgressMonitor.INSTANCE);
    assertThat(hasFilter(id)).isFalse();
    TestRepositories.configure(repository, "gc", "writeChangedPaths", "true");
    manager.maintenance("r").repack(NullProgressMonitor.INSTANCE);
    assertThat(hasFilter(id)).isTrue();
  }

  private boolean hasFilter(ObjectId id) throws Exception {
    try (S3RepositoryManager elsewhere = TestRepositories.manager(directory);
        S3Repository r = elsewhere.openRepository("r");
        DfsReader reader = r.getObjectDatabase().newReader()) {
      CommitGraph graph = reader.getCommitGraph().orElseThrow();
      return graph.getChangedPathFilter(graph.findGraphPosition(id)) != null;
    }
  }

  @Test
  void files_that_a_manifest_cannot_list_are_refused_before_any_write() throws Exception {
    S3ObjDatabase objects = repository.getObjectDatabase();
    S3PackDescription pack = objects.newPack(PackSource.GC);
    for (PackExt ext : List.of(PackExt.REFTABLE, PackExt.MULTI_PACK_INDEX, PackExt.KEEP)) {
      assertThatThrownBy(() -> objects.writeFile(pack, ext))
          .isInstanceOf(NotSupportedException.class)
          .hasMessageContaining(pack.id() + "." + ext.getExtension());
      S3PackDescription listed = objects.newPack(PackSource.GC);
      listed.addFileExt(ext);
      assertThatThrownBy(() -> objects.commitPackImpl(List.of(listed), null))
          .isInstanceOf(NotSupportedException.class);
    }
    pack.addFileExt(PackExt.PACK);
    assertThatThrownBy(() -> objects.commitPackImpl(List.of(pack), null))
        .isInstanceOf(NotSupportedException.class)
        .hasMessageContaining("a pack without an index");
    assertThat(repository.manifest().packs()).isEmpty();
    assertThat(StoredFiles.below(directory, file -> file.getParent().endsWith("pack"))).isEmpty();
  }

  @Test
  void a_reflog_has_the_time_of_the_system_reader() throws Exception {
    Instant then = Instant.parse("2011-12-13T14:15:16Z");
    ReaderClock.at(() -> then, this::commit);
    ReflogReader log = repository.getRefDatabase().getReflogReader("refs/heads/main");
    assertThat(log.getLastEntry().getWho().getWhenAsInstant()).isEqualTo(then);
  }
}

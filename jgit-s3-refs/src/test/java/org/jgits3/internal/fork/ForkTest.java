// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.internal.fork.ForkFixture.MAIN;
import static org.jgits3.internal.fork.ForkFixture.SILENT;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.Soundness;
import org.jgits3.TestRepositories;
import org.jgits3.history.RepositoryChange;
import org.jgits3.history.StoreChanges;
import org.jgits3.history.StoreCursor;
import org.jgits3.history.Transactions;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.transaction.Folds;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

/** Templates and forks of them, one process at a time. */
@Holds("Manifest: The key of each object follows from its name, in one place")
class ForkTest extends ForkTestCase {
  private List<String> packs(String name) throws IOException {
    return it.manifest(name).packs().stream().map(PackEntry::id).toList();
  }

  @Test
  void a_template_is_never_written() throws Exception {
    Manifest before = it.manifest("t");
    try (S3Repository t = it.manager.openRepository("t")) {
      RefUpdate update = t.updateRef("refs/heads/new");
      update.setNewObjectId(it.second);
      assertThatThrownBy(update::update)
          .isInstanceOf(ManifestException.class)
          .hasMessageContaining("is a template, which is never written; fork it");
      assertThatThrownBy(() -> t.setGitwebDescription("other"))
          .isInstanceOf(ManifestException.class);
    }
    assertThat(it.manager.maintenance("t").collectGarbage(SILENT).skipped()).isTrue();
    assertThat(it.manager.maintenance("t").repack(SILENT).skipped()).isTrue();
    assertThat(it.manager.maintenance("t").compact()).isFalse();
    it.sweep("t");
    assertThat(it.manifest("t")).isEqualTo(before);
  }

  @Test
  void a_fork_has_refs_and_objects_of_its_template_and_none_of_its_own() throws Exception {
    try (S3Repository fork = it.manager.fork("t", "f")) {
      assertThat(TestRepositories.refs(fork)).isEqualTo(it.refs("r"));
      assertThat(fork.parseCommit(it.second).getParent(0)).isEqualTo(it.first);
      assertThat(fork.getFullBranch()).isEqualTo(it.manager.openRepository("t").getFullBranch());
    }
    Manifest fork = it.manifest("f");
    assertThat(fork.isFork()).isTrue();
    assertThat(fork.packs()).isEqualTo(it.manifest("t").packs());
    assertThat(it.stored(fork.repositoryId())).isEmpty();
    it.isSound("f");
  }

  @Test
  void collection_of_a_fork_keeps_packs_of_its_template_and_merges_its_own() throws Exception {
    it.fork("f");
    for (int i = 0; i < 3; i++) {
      it.push("f");
    }
    List<String> ofTemplate = packs("t");
    it.manager.maintenance("f").collectGarbage(SILENT);
    assertThat(packs("f")).hasSize(2).containsAll(ofTemplate);
    assertThat(it.manager.maintenance("f").collectGarbage(SILENT).skipped()).isTrue();
    it.sweep("f");
    it.sweep("t");
    it.isSound("f");
    it.isSound("t");
  }

  @Holds(
      "PackCompaction, GarbageCollection: Packs of a template stay in its forks. Those of a fork "
          + "are merged whole, without them. (K14)")
  @Test
  void K14_packs_of_a_fork_are_merged_whole_and_without_those_of_its_template() throws Exception {
    it.fork("f");
    ObjectId both = it.first;
    receiveAgain("f", both);
    for (int i = 0; i < 12; i++) {
      it.push("f");
    }
    List<String> ofTemplate = packs("t");
    assertThat(it.manager.maintenance("f").compact()).isTrue();
    assertThat(packs("f")).hasSize(2).containsAll(ofTemplate);
    assertThat(ownPackHas("f", both)).isTrue();
    it.push("f");
    it.manager.maintenance("f").collectGarbage(SILENT);
    assertThat(packs("f")).hasSize(2).containsAll(ofTemplate);
    assertThat(ownPackHas("f", both)).isTrue();
    it.manager.detach("f", SILENT);
    it.isSound("f");
  }

  /** Has a fork receive an object of its template, as in a thin pack that is completed. */
  private void receiveAgain(String name, ObjectId id) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (S3Repository r = it.manager.openRepository("r");
        PackWriter writer = new PackWriter(r)) {
      writer.preparePack(SILENT, Set.of(id), Set.of());
      writer.writePack(SILENT, SILENT, bytes);
    }
    try (S3Repository fork = it.manager.openRepository(name);
        ObjectInserter inserter = fork.newObjectInserter()) {
      inserter.newPackParser(new ByteArrayInputStream(bytes.toByteArray())).parse(SILENT);
      inserter.flush();
    }
  }

  /** Tests whether a pack that is stored under the id of a fork has an object. */
  private boolean ownPackHas(String name, ObjectId id) throws Exception {
    List<String> own = it.manifest(name).ownPacks().stream().map(PackEntry::id).toList();
    try (S3RepositoryManager other = MaintenanceFixture.manager(it.another());
        S3Repository fork = other.openRepository(name);
        DfsReader reader = fork.getObjectDatabase().newReader()) {
      for (DfsPackFile pack : fork.getObjectDatabase().getPacks()) {
        String file = pack.getPackDescription().getFileName(PackExt.PACK);
        if (own.stream().anyMatch(file::startsWith) && pack.hasObject(reader, id)) {
          return true;
        }
      }
      return false;
    }
  }

  @Test
  void a_template_with_forks_is_not_deleted() throws Exception {
    it.fork("f");
    assertThatThrownBy(() -> it.manager.delete("t"))
        .hasMessage(
            "t: the template has the fork f; delete or detach them first, or give --detach; nothing"
                + " was deleted");
    it.manager.delete("f");
    it.deleteAndSweep("t");
  }

  private void outlivesItsTemplate(String fork, String template) throws Exception {
    it.isSound(fork);
    List<String> before = it.refs(fork);
    it.manager.detach(fork, SILENT);
    assertThat(it.manifest(fork).template()).isEmpty();
    assertThat(it.manager.forks(template)).isEmpty();
    it.deleteAndSweep(template);
    it.sweep(fork);
    it.isSound(fork);
    assertThat(it.refs(fork)).isEqualTo(before);
  }

  @Test
  void a_detached_fork_has_all_and_its_template_can_go() throws Exception {
    it.fork("f");
    it.push("f");
    outlivesItsTemplate("f", "t");
    try (S3RepositoryManager other = MaintenanceFixture.manager(it.another());
        S3Repository fork = other.openRepository("f")) {
      assertThat(fork.getRefDatabase().getReflogReader(MAIN).getReverseEntries())
          .as("the log is copied, too")
          .isNotEmpty();
    }
  }

  @Test
  void forks_of_a_template_with_a_recent_table_read_it_fold_it_and_copy_it() throws Exception {
    List<String> refs;
    try (S3Repository staging = it.manager.imports().create(true)) {
      ObjectId id = TestRepositories.commitBlobs(staging, 20);
      TestRepositories.createAll(staging, id, RefFold.FEW, i -> "refs/base/" + i);
      Folds.fold(staging);
      TestRepositories.force(staging, "refs/heads/last", id);
      TestRepositories.delete(staging, "refs/base/7");
      Folds.fold(staging);
      assertThat(staging.manifest().refs().hasRecent()).isTrue();
      it.manager.imports().freeze(staging, staging.manifest());
      refs = TestRepositories.refs(staging);
      it.manager.imports().publish(staging, RepositoryName.of("u"));
    }
    it.manager.fork("u", "g").close();
    assertThat(it.manifest("g").refs().hasRecent()).isTrue();
    assertThat(it.refs("g")).isEqualTo(refs).hasSize(RefFold.FEW);
    try (S3Repository g = it.manager.openRepository("g")) {
      TestRepositories.force(g, "refs/heads/more", it.first);
      TestRepositories.delete(g, "refs/base/8");
      Folds.fold(g);
      assertThat(g.manifest().refs().hasRecent()).isTrue();
    }
    outlivesItsTemplate("g", "u");
  }

  @Holds(
      "Manifest: A follower of all repositories gets each change, and a fork's refs, at least "
          + "once, in order, without a gap, and no name twice (E-m27, E-m28)")
  @Test
  void followers_learn_of_the_refs_of_a_fork() throws Exception {
    var history = it.manager.storeHistory();
    StoreCursor before = history.now();
    it.fork("f");
    StoreChanges changes = history.since(before);
    RepositoryChange change = changes.next().orElseThrow();
    assertThat(change.kind()).isEqualTo(RepositoryChange.Kind.CREATED);
    assertThat(change.name()).isEqualTo("f");
    Set<String> refs = new TreeSet<>();
    Transactions all = change.transactions();
    for (var next = all.next(); next.isPresent(); next = all.next()) {
      next.get().forEachChange(c -> refs.add(c.ref()));
    }
    assertThat(refs).contains(MAIN);
    it.push("f");
    StoreChanges later = history.since(changes.end());
    assertThat(later.next().orElseThrow().kind()).isEqualTo(RepositoryChange.Kind.CHANGED);
  }

  @Test
  void what_is_no_template_or_has_a_name_already_is_refused_in_one_line() throws Exception {
    it.fork("f");
    assertThatThrownBy(() -> it.manager.fork("r", "g"))
        .hasMessage("r is no template; make one of it with jgit-s3 template, and fork that");
    assertThatThrownBy(() -> it.manager.fork("f", "g")).hasMessageStartingWith("f is no template");
    assertThatThrownBy(() -> it.manager.fork("none", "g"))
        .isInstanceOf(RepositoryNotFoundException.class);
    assertThatThrownBy(() -> it.manager.fork("t", "r"))
        .isInstanceOf(ManifestException.Exists.class);
    assertThat(it.manager.list()).containsExactlyInAnyOrder("r", "t", "f");
  }

  @Test
  void name_of_a_deleted_template_is_used_again_beside_forks_of_another() throws Exception {
    it.fork("f");
    it.manager.rename("t", "old");
    it.template("r", "t");
    it.deleteAndSweep("t");
    it.template("r", "t");
    it.sweep("old");
    it.isSound("f");
  }

  @Test
  void a_name_that_was_used_before_can_be_that_of_a_fork() throws Exception {
    it.manager.createRepository("f").close();
    for (int i = 0; i < 12; i++) {
      try (S3Repository f = it.manager.openRepository("f")) {
        f.setGitwebDescription("text " + i);
      }
    }
    it.manager.delete("f");
    it.fork("f");
    it.push("f");
    it.sweep("f");
    it.isSound("f");
  }

  @Test
  void objects_of_a_template_that_were_deleted_by_hand_are_named() throws Exception {
    it.fork("f");
    String id = it.templateId();
    String lost =
        it.stored(id).stream()
            .filter(k -> k.endsWith(".pack") || k.endsWith(".bundle"))
            .filter(k -> packKeys("t").contains(k))
            .findFirst()
            .orElseThrow();
    Files.delete(it.directory.resolve(lost));
    assertThat(Soundness.faults(it.manager, "f")).anyMatch(fault -> fault.contains(lost));
    try (S3RepositoryManager other = MaintenanceFixture.manager(it.another());
        S3Repository f = other.openRepository("f")) {
      assertThatThrownBy(() -> f.open(it.first).getCachedBytes())
          .hasStackTraceContaining(lost)
          .hasStackTraceContaining("of the template " + id + " of this fork");
    }
  }

  private Set<String> packKeys(String name) {
    try {
      return LiveObject.of(it.manifest(name)).stream()
          .map(LiveObject::key)
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void a_template_deleted_by_hand_is_missing_and_its_forks_go_on() throws Exception {
    it.fork("f");
    Files.delete(it.directory.resolve(StoredManifest.key(it.store, "t")));
    assertThatThrownBy(() -> it.manager.fork("t", "g"))
        .isInstanceOf(ManifestException.Gone.class)
        .hasMessageContaining("there is no fork");
    assertThat(it.manager.list()).doesNotContain("g");
    it.isSound("f");
    it.manager.detach("f", SILENT);
    it.isSound("f");
  }

  @Holds(
      "SharedPacks, IndexBudget: Forks share the open packs of their template, which are known "
          + "while used, and count once in the limit of indexes")
  @Test
  void forks_share_the_loaded_indexes_of_their_template() throws Exception {
    try (S3RepositoryManager manager = MaintenanceFixture.manager(it.another())) {
      long one = 0;
      for (int i = 0; i < 5; i++) {
        try (S3Repository fork = manager.fork("t", "f" + i)) {
          assertThat(fork.open(it.second).getCachedBytes()).isNotEmpty();
        }
        one = one == 0 ? manager.indexBudget().held() : one;
        assertThat(manager.indexBudget().held()).isEqualTo(one).isPositive();
      }
      try (S3Repository template = manager.openRepository("t")) {
        assertThat(template.open(it.second).getCachedBytes()).isNotEmpty();
      }
      assertThat(manager.indexBudget().held()).isEqualTo(one);
    }
  }

  @Test
  void what_pushes_to_a_template_have_left_is_swept() throws Exception {
    Set<String> before = it.stored(it.templateId());
    try (S3Repository t = it.manager.openRepository("t")) {
      assertThatThrownBy(() -> TestRepositories.commit(t, "third", it.second))
          .hasMessageContaining("is a template");
    }
    assertThat(it.stored(it.templateId()))
        .as("uploaded, and refused")
        .hasSizeGreaterThan(before.size());
    var report = it.manager.sweep("t", Duration.ZERO, false);
    assertThat(report.upToDate()).isPresent();
    assertThat(packKeys("t")).containsExactlyInAnyOrderElementsOf(it.stored(it.templateId()));
    it.isSound("t");
  }

  @Test
  void collection_after_an_interrupted_detachment_is_as_of_any_repository() throws Exception {
    it.fork("f");
    it.push("f");
    it.manager.maintenance("f").collectWithTemplate(SILENT);
    assertThat(it.manifest("f").isFork()).isTrue();
    it.push("f");
    it.manager.maintenance("f").collectGarbage(SILENT);
    List<PackEntry> packs = it.manifest("f").packs();
    assertThat(packs).extracting(PackEntry::source).containsOnly("GC");
    assertThat(packs.get(0).files()).containsKey("bitmap");
    it.manager.detach("f", SILENT);
    assertThat(it.manifest("f").template()).isEmpty();
    it.isSound("f");
  }

  @Test
  void the_log_of_a_template_is_copied_and_that_of_the_fork_is_left() throws Exception {
    try (S3Repository r = it.manager.openRepository("r")) {
      TestRepositories.createAll(r, it.first, 500, i -> "refs/many/" + i);
    }
    it.template("r", "u");
    it.manager.fork("u", "f").close();
    it.push("f");
    try (S3Repository f = it.manager.openRepository("f")) {
      f.getRefDatabase().compact();
    }
    Manifest before = it.manifest("f");
    assertThat(before.log().segments()).hasSizeGreaterThan(1);
    assertThat(before.isOwn(before.log().segments().get(0).object().id())).isFalse();
    it.manager.detach("f", SILENT);
    Manifest after = it.manifest("f");
    assertThat(last(after)).isEqualTo(last(before));
    it.isSound("f");
  }

  private static LogSegment last(Manifest manifest) {
    List<LogSegment> segments = manifest.log().segments();
    return segments.get(segments.size() - 1);
  }

  @Test
  void a_fork_of_an_empty_repository_is_empty() throws Exception {
    it.manager.createRepository("empty").close();
    it.template("empty", "e");
    it.manager.fork("e", "f").close();
    assertThat(it.refs("f")).isEmpty();
    it.isSound("f");
    it.manager.detach("f", SILENT);
    assertThat(it.manifest("f").template()).isEqualTo(Optional.empty());
  }
}

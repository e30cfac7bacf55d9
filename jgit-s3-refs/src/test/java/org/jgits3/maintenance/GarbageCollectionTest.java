// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.delete;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.TestRepositories;
import org.jgits3.history.RefRestoration;
import org.jgits3.internal.refs.transaction.RefTransaction;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.ReaderClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Collections beside pushes; E0 to E4 are the interleavings that lose objects without the rules.
 */
@Holds(
    "VersionPacks, RepositoryVersion: A verification or collection takes refs and packs of one "
        + "manifest. A collection names its packs after it counted all objects. (E3b)")
class GarbageCollectionTest extends MaintainedRepository {
  private ObjectId first;

  @BeforeEach
  void create() throws Exception {
    first = push(1);
  }

  /** A commit that nothing leads to, already in a pack of garbage. */
  private ObjectId garbage() throws IOException {
    ObjectId id = TestRepositories.commit(it.user, "garbage");
    it.gc();
    assertThat(sources()).containsExactly("GC", "UNREACHABLE_GARBAGE");
    return id;
  }

  @Test
  void what_refs_lead_to_is_one_pack_with_bitmaps_and_a_commit_graph() throws Exception {
    ObjectId last = first;
    for (int i = 0; i < 5; i++) {
      last = TestRepositories.commit(it.user, "commit " + i, last);
      force(it.user, MAIN, last);
    }
    GarbageCollection.Report report = it.gc();
    assertThat(report.packsBefore()).isEqualTo(6);
    assertThat(report.packsAfter()).isEqualTo(1);
    PackEntry pack = it.manifest().packs().get(0);
    assertThat(pack.source()).isEqualTo("GC");
    assertThat(pack.files()).containsKeys("pack", "idx", "bitmap", "graph");
    it.isSound();
    try (S3Repository r = it.maintainer.openRepository("r")) {
      assertThat(r.parseCommit(last).getFullMessage()).isEqualTo("commit 4");
    }
    assertThat(it.user.parseCommit(last).getParentCount()).isEqualTo(1); // as others see it
  }

  @Holds(
      "GarbageCollection: Packs are collected only if that pays, never twice at once, nor again "
          + "because of an older manifest")
  @Test
  void what_was_collected_is_not_collected_again_unless_something_changed() throws Exception {
    force(it.user, "refs/notes/x", TestRepositories.commit(it.user, "noted"));
    assertThat(it.gc().skipped()).isFalse();
    assertThat(sources()).containsExactly("GC", "GC_REST");
    Manifest collected = it.manifest();
    GarbageCollection.Report again = it.gc();
    assertThat(again.skipped()).isTrue();
    assertThat(again.bytesAfter()).isEqualTo(again.bytesBefore()).isPositive();
    assertThat(it.manifest()).isEqualTo(collected);

    force(it.user, "refs/heads/same", first);
    assertThat(it.gc().skipped()).as("leads to nothing new").isTrue();
    force(it.user, MAIN, TestRepositories.commit(it.user, "second", first));
    assertThat(it.gc().skipped()).isFalse();
    assertThat(it.gc().skipped()).isTrue();
    delete(it.user, "refs/notes/x");
    assertThat(it.gc().skipped()).as("has become garbage").isFalse();
    assertThat(sources()).containsExactly("GC", "UNREACHABLE_GARBAGE");
    assertThat(it.gc().skipped()).as("garbage has expired").isFalse();
    assertThat(it.gc().skipped()).isTrue();

    Manifest before = it.manifest();
    assertThat(it.maintainer.maintenance("r").repack(NullProgressMonitor.INSTANCE).skipped())
        .isFalse();
    assertThat(it.manifest().packs()).isNotEqualTo(before.packs());
    it.isSound();
  }

  @Test
  void planned_collection_does_what_it_says_and_writes_nothing() throws Exception {
    push(2);
    garbage();
    push(1);
    delete(it.user, MAIN);
    RequestCounts counts = new RequestCounts();
    try (S3RepositoryManager reader =
        S3RepositoryManager.openReadOnly(
            new ObservedObjectStore(new DirectoryObjectStore(directory), counts),
            S3Settings.from(new Config(), "test"))) {
      GarbageCollection.Plan plan =
          reader.maintenance("r").planGarbageCollection(NullProgressMonitor.INSTANCE);
      assertThat(plan.packs()).isEqualTo(it.manifest().packs().size()).isEqualTo(3);
      assertThat(plan.expired()).as("of two weeks by default").isZero();
    }
    RequestCounts.Snapshot made = counts.snapshot();
    assertThat(made.total())
        .isPositive()
        .isEqualTo(
            made.of(RequestKind.GET) + made.of(RequestKind.READ) + made.of(RequestKind.STAT));
    GarbageCollection.Plan plan =
        it.maintainer.maintenance("r").planGarbageCollection(NullProgressMonitor.INSTANCE);
    assertThat(plan.expired()).as("of the repository").isEqualTo(1);
    GarbageCollection.Report report = it.gc();
    assertThat(report.packsBefore()).isEqualTo(plan.packs());
    assertThat(report.bytesBefore()).isEqualTo(plan.bytes());
    GarbageCollection.Report last;
    do {
      last = it.gc();
    } while (!last.skipped());
    assertThat(it.maintainer.maintenance("r").planGarbageCollection(NullProgressMonitor.INSTANCE))
        .isEqualTo(new GarbageCollection.Plan(0, 0, 0));
  }

  @Test
  void what_only_a_detached_head_or_a_note_leads_to_stays() throws Exception {
    ObjectId detached = TestRepositories.commit(it.user, "detached");
    ObjectId noted = TestRepositories.commit(it.user, "noted");
    force(it.user, "refs/notes/x", noted);
    var head = it.user.updateRef("HEAD", true);
    head.setNewObjectId(detached);
    head.forceUpdate();
    it.gc();
    it.gc();
    try (S3Repository r = it.maintainer.openRepository("r")) {
      assertThat(r.parseCommit(detached)).isNotNull();
      assertThat(r.parseCommit(noted)).isNotNull();
    }
    it.isSound();
  }

  @Holds(
      "GarbageDrop: Only a commit that removes objects raises `dropped`, since each costs later "
          + "updates a walk")
  @Test
  void garbage_that_is_packed_anew_is_not_dropped() throws Exception {
    expire("never");
    ObjectId old = garbage();
    ObjectId recent = TestRepositories.commit(it.user, "more garbage");
    it.gc();
    assertThat(sources()).containsExactly("GC", "UNREACHABLE_GARBAGE");
    assertThat(it.manifest().dropped()).isZero();
    try (S3Repository r = it.maintainer.openRepository("r")) {
      assertThat(r.parseCommit(old)).isNotNull();
      assertThat(r.parseCommit(recent)).isNotNull();
    }
    force(it.user, "refs/heads/old", old);
    it.gc();
    assertThat(it.manifest().dropped()).as("one of two is no garbage any more").isZero();
    it.isSound();
  }

  @Test
  void E2_garbage_stays_listed_if_the_refs_were_compacted_meanwhile() throws Exception {
    ObjectId id = garbage();
    it.store.beforeWrite(
        () -> {
          force(it.user, "refs/heads/new", id);
          it.user.getRefDatabase().compact();
        });
    assertThat(it.gc().garbageKept()).isTrue();
    it.isSound();
  }

  /** What becomes of refs while a collection is under way. */
  private enum Meanwhile {
    MOVED,
    MOVED_AND_COMPACTED,
    DELETED
  }

  @ParameterizedTest
  @EnumSource
  void E7_garbage_goes_though_refs_move_during_the_collection(Meanwhile what) throws Exception {
    force(it.user, "refs/heads/other", first);
    ObjectId id = garbage();
    it.store.beforeWrite(
        () -> {
          if (what == Meanwhile.DELETED) {
            delete(it.user, "refs/heads/other");
            return;
          }
          force(it.user, MAIN, TestRepositories.commit(it.user, "meanwhile", first));
          force(it.user, "refs/heads/new", first);
          if (what == Meanwhile.MOVED_AND_COMPACTED) {
            it.user.getRefDatabase().compact();
          }
        });
    assertThat(it.gc().garbageKept()).isFalse();
    assertThat(sources())
        .isEqualTo(what == Meanwhile.DELETED ? List.of("GC") : List.of("GC", "INSERT"));
    assertThat(it.manifest().dropped()).isEqualTo(it.manifest().generation());
    try (S3Repository r = it.maintainer.openRepository("r", Purpose.request())) {
      assertThat(r.getObjectDatabase().has(id)).isFalse();
    }
    it.isSound();
  }

  @Test
  void E6_E7_garbage_that_a_new_commit_leads_into_stays() throws Exception {
    ObjectId id = garbage();
    it.store.beforeWrite(
        () -> force(it.user, MAIN, TestRepositories.commit(it.user, "on top", id)));
    assertThat(it.gc().garbageKept()).isTrue();
    assertThat(sources()).containsExactly("GC", "INSERT", "UNREACHABLE_GARBAGE");
    assertThat(it.manifest().dropped()).isZero();
    it.isSound();
  }

  @Test
  void E8_daily_collections_of_a_busy_repository_leave_one_pack_of_garbage() throws Exception {
    for (int day = 0; day < 10; day++) {
      TestRepositories.commit(it.user, "garbage of day " + day);
      String meanwhile = "pushed on day " + day;
      it.store.beforeWrite(
          () -> force(it.user, MAIN, TestRepositories.commit(it.user, meanwhile, first)));
      it.gc();
    }
    assertThat(sources()).containsOnlyOnce("UNREACHABLE_GARBAGE");
    it.isSound();
  }

  @Holds(
      "S3RefDatabase, LargeTransaction, ObjectsDroppedException, Connectivity: Once objects were "
          + "removed, a ref is set only if all that it leads to exists. A writer that looked before "
          + "looks again, or fails. (E0, E1, E3)")
  @ParameterizedTest
  @ValueSource(longs = {0, Manifest.MAX_BYTES})
  void E1_a_batch_looks_again_for_what_a_detached_head_is_to_lead_to(long bytes) throws Exception {
    ObjectId id = garbage();
    StagedStore store = new StagedStore(new DirectoryObjectStore(directory));
    RefTransaction<Boolean> detach =
        edits -> {
          edits.put(Constants.HEAD, new RefValue.Direct(id, Optional.empty()));
          edits.delete(MAIN);
          return RefTransaction.Outcome.unchanged(true);
        };
    try (S3RepositoryManager users = MaintenanceFixture.manager(store);
        S3Repository r = users.openRepository("r")) {
      store.beforeWrite(it::gc);
      assertThatThrownBy(() -> r.getRefDatabase().commitBatch(detach, () -> Set.of(id), bytes))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(id.name());
    }
    assertThat(it.manifest().dropped()).isPositive();
    it.isSound();
  }

  @Test
  void E1_a_ref_that_goes_back_to_its_value_in_the_snapshot_is_looked_at_too() throws Exception {
    ObjectId id = TestRepositories.commit(it.user, "garbage");
    force(it.user, "refs/heads/old", id);
    it.user.getRefDatabase().compact();
    delete(it.user, "refs/heads/old");
    it.gc();
    assertThat(sources()).containsExactly("GC", "UNREACHABLE_GARBAGE");
    try (S3Repository pusher = it.users.openRepository("r")) {
      assertThat(pusher.getObjectDatabase().has(id)).isTrue();
      it.gc();
      assertThat(sources()).containsExactly("GC");
      assertThat(TestRepositories.create(pusher, id, "refs/heads/old").getResult())
          .isEqualTo(ReceiveCommand.Result.REJECTED_OTHER_REASON);
      assertThat(pusher.exactRef("refs/heads/old")).isNull();
    }
    it.isSound();
  }

  @Holds(
      "S3RefDatabase, S3ObjDatabase, Connectivity, TreeCheck: Once objects were removed, a ref is "
          + "set only if all that it leads to exists. A writer that looked before looks again, or "
          + "fails. (E0, E1, E3)")
  @Test
  void E1_writes_on_top_of_a_history_with_dropped_objects_are_checked() throws Exception {
    ObjectId subtree =
        tree(it.user, FileMode.REGULAR_FILE, TestRepositories.blob(it.user, new byte[9]));
    ObjectId gone = garbage();
    ObjectId child;
    ObjectId tree;
    try (S3Repository writer = it.users.openRepository("r")) {
      child = TestRepositories.commit(writer, "child", gone);
      tree = tree(writer, FileMode.TREE, subtree);
    }
    it.gc();
    assertThat(it.manifest().dropped()).isPositive();
    try (S3Repository later = it.users.openRepository("r", Purpose.request())) {
      ObjectId grandchild = TestRepositories.commit(later, "grandchild", child);
      assertRefused(later, grandchild, gone);
      assertRefused(later, child, gone);
      ReceiveCommand command = TestRepositories.create(later, child, "refs/heads/new");
      assertThat(command.getResult()).isEqualTo(ReceiveCommand.Result.REJECTED_OTHER_REASON);
      assertThat(command.getMessage()).contains(gone.name());
      assertRefused(later, commit(later, tree), subtree);
      ObjectId whole = tree(later, FileMode.TREE, tree(later, FileMode.TREE));
      assertThat(force(later, "refs/heads/new", commit(later, whole)))
          .isEqualTo(RefUpdate.Result.NEW);
    }
    it.isSound();
  }

  private static void assertRefused(S3Repository repository, ObjectId value, ObjectId missing)
      throws IOException {
    assertThatThrownBy(() -> force(repository, "refs/heads/refused", value))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(missing.name());
    assertThat(repository.exactRef("refs/heads/refused")).isNull();
  }

  /** A tree with an entry for each object. */
  private static ObjectId tree(Repository repository, FileMode mode, ObjectId... entries)
      throws IOException {
    TreeFormatter tree = new TreeFormatter();
    for (int i = 0; i < entries.length; i++) {
      tree.append("entry" + i, mode, entries[i]);
    }
    return TestRepositories.insert(repository, to -> to.insert(tree));
  }

  /** A commit of a tree that may not be there. */
  private static ObjectId commit(Repository repository, ObjectId tree) throws IOException {
    return TestRepositories.insert(
        repository, to -> to.insert(TestRepositories.commitOf(tree, "")));
  }

  @Test
  void E1_refs_are_not_restored_to_what_leads_to_dropped_objects() throws Exception {
    ObjectId gone = garbage();
    ObjectId child = TestRepositories.commit(it.user, "child", gone);
    force(it.user, "refs/heads/old", child);
    long then = it.manifest().generation();
    delete(it.user, "refs/heads/old");
    it.gc();
    assertThat(it.manifest().dropped()).as("the parent is gone, the child is not").isPositive();
    try (S3Repository r = it.users.openRepository("r", Purpose.request())) {
      RefRestoration plan = r.history().restoration(then);
      assertThat(plan.missing()).isEmpty();
      assertThatThrownBy(plan::apply)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(gone.name());
      assertThat(r.exactRef("refs/heads/old")).isNull();
    }
    it.isSound();
  }

  @Test
  void an_update_after_a_drop_costs_no_request_more() throws Exception {
    garbage();
    it.gc();
    assertThat(it.manifest().dropped()).isPositive();
    RequestCounts counts = new RequestCounts();
    try (S3RepositoryManager users =
            MaintenanceFixture.manager(
                new ObservedObjectStore(new DirectoryObjectStore(directory), counts));
        S3Repository r = users.openRepository("r", Purpose.request())) {
      r.parseCommit(first);
      ObjectId second = TestRepositories.commit(r, "second", first);
      RequestCounts.Snapshot before = counts.snapshot();
      assertThat(force(r, MAIN, second)).isEqualTo(RefUpdate.Result.FORCED);
      assertThat(counts.snapshot().since(before)).hasToString("1 request: 1 PUT_IF");
    }
    it.isSound();
  }

  @Test
  void E0_E2_a_collection_by_JGit_through_a_handle_follows_the_rules_too() throws Exception {
    ObjectId id = garbage();
    try (S3Repository r = it.maintainer.openRepository("r", Purpose.request())) {
      it.store.beforeWrite(() -> force(it.user, "refs/heads/new", id));
      collect(r);
      assertThat(sources()).containsExactly("GC", "UNREACHABLE_GARBAGE");
    }
    it.isSound();
    delete(it.user, "refs/heads/new");
    try (S3Repository r = it.maintainer.openRepository("r", Purpose.request())) {
      collect(r);
    }
    assertThat(sources()).containsExactly("GC");
    assertThat(it.manifest().dropped()).isEqualTo(it.manifest().generation());
    it.isSound();
  }

  @Holds(
      "GarbageDrop: Expired garbage stays if and only if a ref leads into it, as of the base of "
          + "the commit (E0, E2, E5 to E8)")
  @Test
  void a_collection_by_JGit_drops_garbage_though_refs_moved_since_its_handle() throws Exception {
    ObjectId id = garbage();
    try (S3Repository lasting = it.maintainer.openRepository("r")) {
      force(lasting, MAIN, TestRepositories.commit(lasting, "second", first));
      lasting.getRefDatabase().compact();
      it.store.beforeWrite(
          () -> force(it.user, "refs/heads/new", TestRepositories.commit(it.user, "new", first)));
      collect(lasting);
      assertThat(sources()).containsExactly("GC", "INSERT");
      assertThat(it.manifest().dropped()).isEqualTo(it.manifest().generation());
      assertThat(lasting.getObjectDatabase().has(id)).isFalse();
    }
    it.isSound();
  }

  /** Runs JGit's own command on a clock that is ahead; Gerrit's does the same. */
  private void collectByCommand(Duration ahead) throws Exception {
    try (S3Repository r = it.maintainer.openRepository("r", Purpose.request())) {
      ReaderClock.at(() -> Instant.now().plus(ahead), Git.wrap(r).gc());
    }
  }

  @Holds(
      "GarbageDrop, GarbageExpiry: Garbage stays listed for `gc.pruneExpire`, in collections by "
          + "JGit too")
  @Test
  void the_command_of_JGit_keeps_garbage_as_long_as_the_configuration_says() throws Exception {
    ObjectId id = TestRepositories.commit(it.user, "garbage");
    expire("never");
    collectByCommand(Duration.ZERO);
    assertThat(sources()).containsExactly("GC", "UNREACHABLE_GARBAGE");
    for (String time : List.of("never", "2.weeks.ago", "3.days.ago")) {
      expire(time);
      collectByCommand(Duration.ofDays(2));
      assertThat(sources()).as(time).containsExactly("GC", "UNREACHABLE_GARBAGE");
      assertThat(it.manifest().dropped()).as(time).isZero();
    }
    try (S3Repository r = it.maintainer.openRepository("r", Purpose.request())) {
      assertThat(r.parseCommit(id).getFullMessage()).isEqualTo("garbage");
    }
    expire("now");
    collectByCommand(Duration.ofDays(2));
    assertThat(sources()).containsExactly("GC");
    assertThat(it.manifest().dropped()).isEqualTo(it.manifest().generation());
    it.isSound();
  }

  private static void collect(S3Repository repository) throws IOException {
    assertThat(
            new DfsGarbageCollector(repository)
                .setGarbageTtl(1, TimeUnit.MILLISECONDS)
                .pack(NullProgressMonitor.INSTANCE))
        .isTrue();
  }

  @Test
  void E3_a_push_with_all_objects_succeeds_once_it_has_looked_again() throws Exception {
    garbage();
    try (S3Repository pusher = it.users.openRepository("r")) {
      ObjectId second = TestRepositories.commit(pusher, "second", first);
      it.gc();
      assertThat(it.manifest().dropped()).isPositive();
      force(pusher, "refs/heads/new", second);
      assertThat(pusher.exactRef("refs/heads/new").getObjectId()).isEqualTo(second);
      delete(pusher, MAIN);
      assertThat(pusher.exactRef(MAIN)).isNull();
    }
    it.isSound();
  }

  @Test
  void E3_a_batch_of_very_many_refs_with_all_objects_succeeds() throws Exception {
    ObjectId gone = garbage();
    try (S3Repository pusher = it.users.openRepository("r")) {
      it.gc();
      assertThat(it.manifest().dropped()).isPositive();
      for (ObjectId id : List.of(first, gone)) {
        BatchRefUpdate batch =
            TestRepositories.createAll(
                pusher, id, 3000, i -> "refs/changes/" + id.name() + "/" + i);
        assertThat(batch.getCommands())
            .allMatch(c -> (c.getResult() == ReceiveCommand.Result.OK) == id.equals(first));
      }
    }
    it.isSound();
  }

  @Test
  void E3b_a_push_between_two_steps_of_a_collection_is_left_alone() throws Exception {
    Manifest[] meanwhile = new Manifest[1];
    ObjectId[] second = new ObjectId[1];
    it.maintainer.openRepository("r").close(); // knows the repository
    StagedStore.Action push =
        () -> {
          second[0] = TestRepositories.commit(it.user, "second", first);
          force(it.user, MAIN, second[0]);
          delete(it.user, MAIN);
          force(it.user, "refs/heads/other", second[0]);
          meanwhile[0] = it.manifest();
        };
    it.store.before(
        Request.WRITE_LEASE,
        () -> it.store.after(Request.READ_MANIFEST, push)); // what is read with the lease counts
    it.gc();
    assertThat(sources()).containsExactly("GC", "INSERT");
    PackEntry collected =
        it.manifest().packs().stream().filter(p -> p.source().equals("GC")).findFirst().get();
    assertThat(ObjectNames.mintedAt(collected.id()))
        .as("minted after counting")
        .isEqualTo(meanwhile[0].generation());
    it.isSound();
    try (S3Repository r = it.maintainer.openRepository("r")) {
      assertThat(r.parseCommit(second[0]).getFullMessage()).isEqualTo("second");
    }
  }

  @Test
  void a_time_that_cannot_be_read_is_an_error_that_names_it() throws Exception {
    expire("some day");
    assertThatThrownBy(it::gc)
        .isInstanceOf(IOException.class)
        .hasMessage("gc.pruneExpire of r is no time: some day");
  }

  @Test
  void an_empty_repository_is_left_as_it_is() throws Exception {
    it.users.createRepository("empty").close();
    GarbageCollection.Report report =
        it.maintainer.maintenance("empty").collectGarbage(NullProgressMonitor.INSTANCE);
    assertThat(report)
        .isEqualTo(new GarbageCollection.Report(0, 0, 0, 0, false, true, report.upToDate()));
    assertThat(report.upToDate().orElseThrow().until()).isEqualTo(Instant.MAX);
  }
}

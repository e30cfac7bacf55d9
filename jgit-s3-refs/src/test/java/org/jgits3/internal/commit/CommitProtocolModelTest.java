// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.internal.commit.Register.Report.FAIL;
import static org.jgits3.internal.commit.Register.Report.GONE;
import static org.jgits3.internal.commit.Register.Report.NO_CHANGE;
import static org.jgits3.internal.commit.Register.Report.OK;
import static org.jgits3.internal.commit.Register.Report.UNKNOWN;
import static org.jgits3.internal.commit.Register.cas;
import static org.jgits3.internal.commit.Register.run;
import static org.jgits3.internal.commit.Register.set;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.GetResult;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The interleavings that the explicit-state models of the protocol found to break a simpler one (A1
 * to A16, B3, B4), replayed request by request against the real committer.
 */
@Holds("ConditionalWrite: A write in doubt is repeated with the same bytes and precondition (A0)")
@Holds(
    "CommitBatch, CommitLoop: Pruning drops all writer entries up to a recorded generation. Older "
        + "writes with an attempt in doubt are unknown. (A3, A3b, A4)")
@Holds(
    "SubmittedChange, CommitLoop: A change reported as not written is in no write that can still "
        + "be applied (A16)")
@Holds("Manifest: No two manifests have equal bytes (A8)")
@Holds(
    "ManifestFile: A process that has seen a later manifest notices one put back, and writes "
        + "nothing (A8, D12)")
@Holds(
    "RepositoryCatalog, Sweep: Pointers and manifests are never removed, so that late creations "
        + "fail (A11, A12, E-m9, E-m12, E-m13)")
@Holds(
    "CommitLoop: A verdict rests on its own write, or on a read that began after the change, or "
        + "its push, arrived (B2 to B4)")
class CommitProtocolModelTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final Duration DEADLINE = Duration.ofMillis(200);
  private static final int CREATION = 2; // conditional writes of it

  private final ScriptedStore store = new ScriptedStore();
  private final List<Register.Applied> applied = new ArrayList<>();
  private final List<ScriptedStore.PutRequest> late = new ArrayList<>();
  private final RepositoryCatalog catalog =
      new RepositoryCatalog(store, DEADLINE, new VirtualTime(), new SplittableRandom(1));
  private final VirtualTime time = new VirtualTime();
  private ManifestCommitter w;
  private ManifestCommitter v;

  @BeforeEach
  void create_the_repository() throws IOException {
    Register.create(catalog, NAME);
    store.onApplied(request -> request.manifest().map(Register::madeBy).ifPresent(applied::addAll));
    w = committer();
    v = committer();
  }

  @Test
  void A0_the_same_write_is_repeated_until_it_is_answered() {
    store.nextPut(put -> ScriptedStore.NO_ANSWER);
    store.nextPut(put -> ScriptedStore.NO_ANSWER);
    assertThat(run(w, cas("W0", "0", "1"))).isEqualTo(OK);
    List<ScriptedStore.PutRequest> puts = store.puts().subList(CREATION, CREATION + 3);
    assertThat(puts).allSatisfy(put -> assertThat(put.body).isEqualTo(puts.get(0).body));
    assertThat(puts)
        .allSatisfy(put -> assertThat(put.precondition).isEqualTo(puts.get(0).precondition));
  }

  @Test
  void A0_refusal_of_a_repetition_decides_nothing() {
    store.loseAnswer();
    store.nextPut(
        put -> {
          throw new StoreException.Refused(put.key, "the key has expired", null);
        });
    assertThat(run(w, cas("W0", "0", "1"))).isEqualTo(OK);
    assertThat(ops()).containsExactly("W0");
  }

  @Test
  void A3_write_in_doubt_is_found_until_its_own_trace_is_pruned() {
    store.loseAnswerAfter(() -> commitByOthers(CommitBatch.REMEMBERED - 1));
    assertThat(run(w, cas("W0", "0", "1"))).isEqualTo(OK);
    store.loseAnswerAfter(() -> commitByOthers(CommitBatch.REMEMBERED));
    assertThat(run(w, cas("W1", "1", "2"))).isEqualTo(UNKNOWN);
    assertThat(ops()).containsExactly("W0", "W1");
    store.loseAnswerAfter(
        () -> {
          commitByOthers(CommitBatch.REMEMBERED);
          catalog.delete(Optional.empty(), NAME, any -> {});
        });
    assertThat(run(w, cas("W2", "2", "3"))).as("deleted meanwhile").isEqualTo(UNKNOWN);
  }

  @Test
  void A4_how_far_was_pruned_never_goes_back() throws IOException {
    commitByManyOthers();
    Manifest pruned = w.validate().manifest();
    Manifest few =
        pruned.committed(
            pruned.generation(),
            pruned.state(),
            Collections.emptySortedMap(),
            pruned.counters().prunedTo());
    assertThat(CommitBatch.seal(few, "", "n").counters().prunedTo())
        .isEqualTo(pruned.counters().prunedTo());
  }

  @Test
  void A4_a_writer_leaves_one_trace_however_often_it_commits() throws IOException {
    for (int i = 0; i < 5; i++) {
      assertThat(run(w, set("W" + i, Integer.toString(i + 1)))).isEqualTo(OK);
      assertThat(run(v, set("V" + i, Integer.toString(i + 10)))).isEqualTo(OK);
    }
    assertThat(w.validate().manifest().counters().writers()).hasSize(2);
  }

  @Test
  void A7_write_that_a_tombstone_was_faster_than_is_refused_for_certain() {
    store.nextPut(
        put -> {
          late.add(put);
          catalog.delete(Optional.empty(), NAME, any -> {});
          return ScriptedStore.NO_ANSWER;
        });
    assertThat(run(w, cas("W0", "0", "1"))).isEqualTo(GONE);
    deliverLate();
    assertThat(ops()).isEmpty();
  }

  @Test
  void A7_write_to_a_missing_manifest_is_unknown_only_after_a_doubt() throws IOException {
    w.validate();
    store.nextPut(
        put -> {
          store.delete(List.of(key()));
          return ScriptedStore.NO_ANSWER;
        });
    assertThat(run(w, cas("W0", "0", "1"))).isEqualTo(UNKNOWN);
    assertThat(run(w, cas("W1", "0", "1"))).isEqualTo(GONE);
  }

  /** Ceph refuses a write to a missing object as it refuses one to a replaced object. */
  @Test
  void A7_missing_manifest_is_found_after_a_refusal_that_does_not_name_it() throws IOException {
    w.validate();
    store.delete(List.of(key()));
    store.nextPut(put -> ScriptedStore.REFUSED);
    assertThat(run(w, cas("W0", "0", "1"))).isEqualTo(GONE);
  }

  @Test
  void A8_manifest_put_back_by_hand_is_noticed() throws IOException {
    byte[] old = store.bytes(key());
    run(w, cas("W0", "0", "1"));
    store.overwrite(key(), old);
    assertThatThrownBy(w::validate)
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageContaining("back to 1");
    assertThat(run(w, cas("W1", "1", "2"))).isEqualTo(UNKNOWN);
    assertThat(store.bytes(key())).isEqualTo(old);
  }

  @Test
  void A8_other_manifest_of_the_same_generation_is_noticed() throws IOException {
    byte[] old = store.bytes(key());
    run(w, cas("W0", "0", "1"));
    store.overwrite(key(), old);
    run(v, cas("V0", "0", "2"));
    assertThatThrownBy(w::validate)
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageContaining("from generation 2 back to 2");
  }

  @Test
  void A9_late_writes_miss_restored_content_of_a_higher_generation() throws IOException {
    Manifest old = w.validate().manifest();
    store.nextPut(
        put -> {
          late.add(put);
          return put.apply();
        });
    assertThat(run(w, cas("W0", "0", "1"))).isEqualTo(OK);
    run(v, set("V0", Register.value(old)));
    deliverLate();
    assertThat(ops()).containsExactly("W0", "V0");
  }

  @Test
  void A11_deleting_never_removes_the_manifest_so_that_a_late_create_misses() throws IOException {
    String id = w.validate().manifest().repositoryId();
    catalog.delete(Optional.empty(), NAME, any -> {});
    store.puts().forEach(ScriptedStore.PutRequest::apply);
    assertThat(ManifestFile.read(store, id).orElseThrow().manifest().state())
        .isInstanceOf(RepositoryState.Deleted.class);
    assertThat(catalog.find(NAME)).isEmpty();
  }

  /** The name goes to another repository, which another thread finds while the first one reads. */
  @Test
  void A12_all_threads_keep_the_repository_that_one_found_first() throws IOException {
    ManifestFile file = StoredManifest.file(store, NAME);
    store.nextGet(ScriptedStore.GetRequest::read); // of the pointer
    store.nextGet(
        get -> {
          GetResult first = get.read();
          catalog.delete(Optional.empty(), NAME, any -> {});
          Register.create(catalog, NAME);
          assertThat(file.read()).isPresent();
          return first;
        });
    assertThat(file.read()).contains(StoredManifest.readVersioned(store, NAME.value()));
  }

  @Test
  void A12_repository_that_has_another_name_by_now_is_not_kept() throws IOException {
    ManifestFile file = StoredManifest.file(store, NAME);
    store.nextGet(
        get -> {
          GetResult pointer = get.read();
          catalog.rename(Optional.empty(), NAME, RepositoryName.of("s"));
          return pointer;
        });
    assertThat(file.read().orElseThrow().manifest().name()).contains(RepositoryName.of("s"));
    assertThat(file.read()).isEmpty();
    VersionedManifest next = Register.create(catalog, NAME);
    assertThat(file.read()).contains(next);
  }

  @Test
  void A16_write_found_by_its_trace_after_its_deadline_is_a_success() {
    store.applyTwiceAround(() -> time.sleep(2 * DEADLINE.toNanos()));
    assertThat(run(w, cas("W0", "0", "1"))).isEqualTo(OK);
  }

  @Test
  void A16_second_refusal_at_the_deadline_is_decided_by_a_read() throws IOException {
    w.validate();
    store.nextPut(put -> ScriptedStore.REFUSED); // though no process wrote
    store.nextGet(ScriptedStore.UNREADABLE);
    store.applyAfter(
        () -> {
          run(v, set("V0", "1"));
          time.sleep(2 * DEADLINE.toNanos());
        });
    assertThatThrownBy(() -> w.commit(set("W0", "x")))
        .isInstanceOf(ManifestException.NotCommitted.class)
        .hasMessageContaining("others were faster");
    assertThat(ops()).containsExactly("V0");
  }

  @Test
  void A16_change_that_was_never_attempted_before_its_deadline_was_not_done() {
    store.everyGet(
        get -> {
          time.sleep(2 * DEADLINE.toNanos());
          return get.read();
        });
    assertThatThrownBy(() -> w.commit(set("W0", "1")))
        .isInstanceOf(ManifestException.NotCommitted.class)
        .hasMessageContaining("not attempted");
    assertThat(store.puts()).hasSize(CREATION);
  }

  @Test
  void B3_no_change_does_not_rest_on_a_stale_manifest() throws IOException {
    w.validate();
    run(v, cas("V0", "0", "1"));
    assertThat(run(w, set("W0", "0"))).isEqualTo(OK);
    assertThat(ops()).containsExactly("V0", "W0");
  }

  @Test
  void B4_verdict_without_a_write_costs_one_conditional_read() throws IOException {
    w.validate();
    int before = store.gets();
    assertThat(run(w, set("W0", "0"))).isEqualTo(NO_CHANGE);
    assertThat(run(w, cas("W1", "5", "6"))).isEqualTo(FAIL);
    assertThat(store.gets()).isEqualTo(before + 2);
    assertThat(store.puts()).hasSize(CREATION);
  }

  private String key() throws IOException {
    return StoredManifest.key(store, NAME.value());
  }

  private List<String> ops() {
    return applied.stream().map(Register.Applied::op).toList();
  }

  private ManifestCommitter committer() {
    return new ManifestCommitter(
        StoredManifest.file(store, NAME), DEADLINE, time, new SplittableRandom(1));
  }

  private void commitByManyOthers() {
    commitByOthers(CommitBatch.REMEMBERED + 1);
  }

  private void commitByOthers(int count) {
    for (int i = 0; i < count; i++) {
      try (ManifestCommitter other = committer()) {
        assertThat(run(other, base -> Proposal.edit(base.withDropped(base.dropped()), OK)))
            .isEqualTo(OK);
      }
    }
  }

  private void deliverLate() {
    late.forEach(ScriptedStore.PutRequest::apply);
    late.clear();
  }
}

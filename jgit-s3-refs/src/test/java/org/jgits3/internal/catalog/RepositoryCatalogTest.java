// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jgits3.internal.commit.CommitPolicy;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFixture;
import org.jgits3.internal.commit.Register;
import org.jgits3.internal.commit.ScriptedStore;
import org.jgits3.internal.commit.VirtualTime;
import org.jgits3.manifest.Departure;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.PutOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryCatalogTest {
  private static final RepositoryName A = RepositoryName.of("team/a");
  private static final RepositoryName B = RepositoryName.of("team/b");
  private static final RepositoryName C = RepositoryName.of("c");
  private static final CommitPolicy POLICY = new CommitPolicy(Duration.ofSeconds(20));

  private final ScriptedStore store = new ScriptedStore();
  private final RepositoryCatalog catalog = new RepositoryCatalog(store, POLICY);

  /** Stands for the death of a process: no code after the request runs. */
  private static final class Crash extends Error {}

  @Test
  void create_is_one_request() throws IOException {
    VersionedManifest made = create(A);
    assertThat(made.manifest().generation()).isEqualTo(1);
    assertThat(store.puts()).hasSize(1);
    assertThat(store.gets()).isZero();
    assertThat(catalog.read(A)).contains(made);
  }

  @Test
  void create_refuses_a_name_that_is_taken() throws IOException {
    create(A);
    assertThatThrownBy(() -> create(A))
        .isInstanceOf(ManifestException.Exists.class)
        .hasMessageContaining("repos/team/a.git/manifest");
  }

  @Test
  void create_whose_reply_was_lost_is_success() throws IOException {
    store.nextPut(
        put -> {
          put.apply();
          return ScriptedStore.NO_ANSWER;
        });
    VersionedManifest made = create(A);
    assertThat(catalog.read(A)).contains(made);
    assertThat(store.puts()).hasSize(2);
  }

  @Test
  void check_before_a_deletion_may_take_longer_than_the_deadline() throws IOException {
    VirtualTime time = new VirtualTime();
    RepositoryCatalog timed = new RepositoryCatalog(store, POLICY, time, new SplittableRandom(1));
    String id = create(A).manifest().repositoryId();
    assertThat(timed.delete(A, found -> time.sleep(POLICY.deadline().multipliedBy(2).toNanos())))
        .isEqualTo(id);
  }

  @Test
  void create_waits_no_longer_than_its_deadline_whatever_the_store_asks_for() {
    VirtualTime time = new VirtualTime();
    RepositoryCatalog timed = new RepositoryCatalog(store, POLICY, time, new SplittableRandom(1));
    store.everyPut(put -> new PutOutcome.Unknown("scripted: come again", Duration.ofDays(1)));
    assertThatThrownBy(() -> Register.create(timed, A)).isInstanceOf(UnknownOutcomeException.class);
    assertThat(Duration.ofNanos(time.nanoTime())).isEqualTo(POLICY.deadline());
  }

  @Test
  void create_that_another_overtook_while_in_doubt_is_refused() throws IOException {
    store.nextPut(
        put -> {
          create(A);
          return ScriptedStore.NO_ANSWER;
        });
    assertThatThrownBy(() -> create(A)).isInstanceOf(ManifestException.Exists.class);
  }

  @Test
  void create_in_doubt_under_a_name_with_later_lives_says_that_it_is_gone() throws IOException {
    store.nextPut(
        put -> {
          put.apply();
          catalog.delete(A);
          create(A);
          catalog.delete(A);
          create(A);
          return ScriptedStore.NO_ANSWER;
        });
    assertThatThrownBy(() -> create(A)).isInstanceOf(ManifestException.Gone.class);
  }

  @Test
  void create_that_was_refused_finds_its_repository_renamed_by_a_version_without_traces()
      throws IOException {
    store.nextPut(
        put -> {
          put.apply();
          catalog.rename(A, B);
          forgetWriters(A);
          return put.apply();
        });
    assertThatThrownBy(() -> create(A))
        .isInstanceOf(ManifestException.Gone.class)
        .hasMessageContaining("renamed to " + B);
    assertThat(list()).containsExactly(B);
  }

  @Test
  void create_that_was_refused_while_it_was_under_way_is_repeated() throws IOException {
    create(A);
    catalog.delete(A);
    List<ScriptedStore.PutRequest> late = new ArrayList<>();
    store.nextPut(ScriptedStore.PutRequest::apply); // finds the name used
    store.nextPut(
        put -> {
          late.add(put);
          return new PutOutcome.Lost(false);
        });
    store.nextPut(
        put -> {
          late.forEach(ScriptedStore.PutRequest::apply);
          return put.apply();
        });
    VersionedManifest made = create(A);
    assertThat(catalog.read(A)).contains(made);
  }

  /** Replaces a manifest by that of a version which keeps no writers in it. */
  private void forgetWriters(RepositoryName name) throws IOException {
    Manifest found = catalog.read(name).orElseThrow().manifest();
    Manifest blank =
        found.committed(found.generation(), found.state(), new TreeMap<>(), found.generation());
    store.overwrite(name.manifestKey(), ManifestCodec.encode(name, blank));
  }

  @Test
  void create_whose_request_was_copied_and_whose_repository_was_replaced_says_so()
      throws IOException {
    store.nextPut(
        put -> {
          put.apply();
          catalog.delete(A);
          create(A);
          return put.apply();
        });
    assertThatThrownBy(() -> create(A)).isInstanceOf(ManifestException.Gone.class);
  }

  @Test
  void create_over_a_tombstone_continues_its_generation_under_a_fresh_id() throws IOException {
    Manifest first = create(A).manifest();
    catalog.delete(A);
    Manifest tombstone = catalog.read(A).orElseThrow().manifest();
    Manifest second = create(A).manifest();
    assertThat(second.repositoryId()).isNotEqualTo(first.repositoryId());
    assertThat(second.generation()).isEqualTo(tombstone.generation() + 1);
    assertThat(second.sweepBoundary()).isEqualTo(tombstone.generation());
    assertThat(second.counters().prunedTo()).isZero();
    assertThat(second.counters().writers().values())
        .as("creation, deletion, creation")
        .containsExactlyInAnyOrder(1L, 2L, 3L);
  }

  @Test
  void create_that_lost_a_race_for_a_used_name_leaves_nothing_that_nobody_would_find()
      throws IOException {
    create(A);
    catalog.delete(A);
    store.nextPut(ScriptedStore.PutRequest::apply); // finds the name used
    store.nextPut(
        put -> {
          create(A);
          return put.apply();
        });
    assertThatThrownBy(() -> create(A)).isInstanceOf(ManifestException.Exists.class);
    String winner = catalog.read(A).orElseThrow().manifest().repositoryId();
    List<String> objects = new ArrayList<>();
    store.list("objects/", object -> objects.add(object.key()));
    assertThat(objects).hasSize(1).allMatch(key -> key.startsWith(ObjectNames.prefix(winner)));
  }

  @Test
  void delete_leaves_a_tombstone_that_a_listing_passes_over() throws IOException {
    create(A);
    create(B);
    catalog.delete(A);
    assertThat(list()).containsExactly(B);
    assertThat(catalog.read(A).orElseThrow().manifest().state()).isEqualTo(RepositoryState.DELETED);
  }

  @Test
  void delete_of_what_is_not_there_is_refused() throws IOException {
    assertThatThrownBy(() -> catalog.delete(A)).isInstanceOf(ManifestException.Gone.class);
    create(A);
    catalog.delete(A);
    assertThatThrownBy(() -> catalog.delete(A)).isInstanceOf(ManifestException.Gone.class);
  }

  @Test
  void delete_goes_on_after_a_competing_commit() throws IOException {
    create(A);
    store.nextPut(
        put -> {
          describe(A, "changed");
          return put.apply();
        });
    catalog.delete(A);
    assertThat(list()).isEmpty();
  }

  @Test
  void delete_whose_reply_was_lost_is_success() throws IOException {
    create(A);
    store.nextPut(
        put -> {
          put.apply();
          return ScriptedStore.NO_ANSWER;
        });
    catalog.delete(A);
    assertThat(list()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, true", "1, false", "2, true", "2, false"})
  void delete_that_was_made_is_success_though_the_name_has_later_lives(int lives, boolean copied)
      throws IOException {
    create(A);
    store.nextPut(
        put -> {
          put.apply();
          for (int i = 1; i < lives; i++) {
            create(A);
            catalog.delete(A);
          }
          create(A);
          return copied ? put.apply() : ScriptedStore.NO_ANSWER;
        });
    catalog.delete(A);
    assertThat(list()).containsExactly(A);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void delete_whose_trace_is_pruned_is_unknown(boolean copied) throws IOException {
    create(A);
    store.nextPut(
        put -> {
          put.apply();
          for (int i = 0; i < 9; i++) {
            create(A);
            catalog.delete(A);
          }
          return copied ? put.apply() : ScriptedStore.NO_ANSWER;
        });
    assertThatThrownBy(() -> catalog.delete(A)).isInstanceOf(UnknownOutcomeException.class);
  }

  @Test
  void delete_that_another_was_faster_than_is_refused_though_the_name_has_a_later_life()
      throws IOException {
    create(A);
    store.nextPut(
        put -> {
          catalog.delete(A);
          create(A);
          return put.apply();
        });
    assertThatThrownBy(() -> catalog.delete(A)).isInstanceOf(ManifestException.Gone.class);
    assertThat(list()).containsExactly(A);
  }

  @Test
  void rename_keeps_the_life_and_everything_in_it() throws IOException {
    create(A);
    describe(A, "kept");
    Manifest before = catalog.read(A).orElseThrow().manifest();
    catalog.rename(A, B);
    Manifest after = catalog.read(B).orElseThrow().manifest();
    assertThat(after.repositoryId()).isEqualTo(before.repositoryId());
    assertThat(after.settings()).isEqualTo(before.settings());
    assertThat(after.generation()).isGreaterThan(before.generation());
    assertThat(after.sweepBoundary()).isEqualTo(before.sweepBoundary());
    assertThat(list()).containsExactly(B);
    assertThat(catalog.read(A).orElseThrow().manifest().state())
        .isEqualTo(new RepositoryState.Moved("team/b"));
  }

  @Test
  void rename_over_a_tombstone_and_back_again() throws IOException {
    create(B);
    catalog.delete(B);
    String repositoryId = create(A).manifest().repositoryId();
    catalog.rename(A, B);
    catalog.rename(B, A);
    assertThat(catalog.read(A).orElseThrow().manifest().repositoryId()).isEqualTo(repositoryId);
    describe(A, "writable");
    assertThat(list()).containsExactly(A);
  }

  @Test
  void rename_to_a_name_that_is_taken_changes_nothing() throws IOException {
    create(A);
    create(B);
    VersionedManifest before = catalog.read(A).orElseThrow();
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(ManifestException.Exists.class);
    assertThatThrownBy(() -> catalog.rename(A, A)).isInstanceOf(ManifestException.Exists.class);
    assertThat(catalog.read(A)).contains(before);
  }

  @Test
  void rename_of_what_is_not_there_is_refused() {
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(ManifestException.Gone.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void rename_that_died_before_a_write_is_finished_by_repeating_it(int write) throws IOException {
    String repositoryId = create(A).manifest().repositoryId();
    dieAtPut(write, false);
    assertRenameFinishes(repositoryId);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void rename_that_died_after_a_write_is_finished_by_repeating_it(int write) throws IOException {
    String repositoryId = create(A).manifest().repositoryId();
    dieAtPut(write, true);
    assertRenameFinishes(repositoryId);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void rename_goes_on_when_the_reply_to_a_write_is_lost(int write) throws IOException {
    create(A);
    for (int i = 1; i < write; i++) {
      store.nextPut(ScriptedStore.PutRequest::apply);
    }
    store.nextPut(
        put -> {
          put.apply();
          return ScriptedStore.NO_ANSWER;
        });
    catalog.rename(A, B);
    assertThat(list()).containsExactly(B);
  }

  @Test
  void reserved_name_cannot_be_taken_while_the_rename_can_be_finished() throws IOException {
    create(A);
    dieAtPut(2, false);
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
    assertThatThrownBy(() -> create(B)).isInstanceOf(ManifestException.Exists.class);
    catalog.rename(A, B);
    assertThat(list()).containsExactly(B);
  }

  @Test
  void reserved_name_is_free_once_the_rename_cannot_be_finished() throws IOException {
    create(A);
    dieAtPut(2, false);
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
    catalog.rename(A, C);
    create(B);
    assertThat(list()).containsExactlyInAnyOrder(B, C);
  }

  @Test
  void moving_repository_fences_writers_and_readers() throws IOException {
    create(A);
    try (ManifestCommitter committer = new ManifestCommitter(store, A, POLICY)) {
      committer.validate();
      dieAtPut(3, false);
      assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
      assertThatThrownBy(() -> committer.commit(ManifestFixture.describing("late")))
          .isInstanceOf(ManifestException.Gone.class)
          .hasMessageContaining("renamed to team/b");
      assertThatThrownBy(committer::validate).isInstanceOf(ManifestException.Gone.class);
      assertThatThrownBy(() -> catalog.delete(A)).isInstanceOf(ManifestException.Gone.class);
      assertThatThrownBy(() -> catalog.rename(A, C)).isInstanceOf(ManifestException.class);
    }
    catalog.rename(A, B);
    assertThat(catalog.read(B).orElseThrow().manifest().settings().description()).isEmpty();
  }

  @Test
  void rename_that_is_repeated_does_not_finish_a_later_one_with_what_it_has_moved()
      throws IOException {
    create(A);
    describe(A, "old");
    dieAtPut(4, false);
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
    catalog.rename(B, C);
    describe(C, "new");
    dieAtPut(3, false);
    assertThatThrownBy(() -> catalog.rename(C, B)).isInstanceOf(Crash.class);
    catalog.rename(A, B);
    catalog.rename(C, B);
    assertThat(list()).containsExactly(B);
    assertThat(description(B)).isEqualTo("new");
  }

  @Test
  void rename_that_is_repeated_does_not_take_a_name_reserved_for_a_later_one() throws IOException {
    create(A);
    dieAtPut(4, false);
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
    catalog.rename(B, C);
    dieAtPut(2, false);
    assertThatThrownBy(() -> catalog.rename(C, B)).isInstanceOf(Crash.class);
    catalog.rename(A, B);
    assertThat(list()).containsExactly(C);
    catalog.rename(C, B);
    assertThat(list()).containsExactly(B);
  }

  @Test
  void rename_that_stalls_while_it_is_finished_does_not_finish_the_next_one() throws IOException {
    create(A);
    describe(A, "old");
    dieAtPut(3, false);
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
    store.nextGet(ScriptedStore.GetRequest::read);
    store.nextGet(
        get -> {
          catalog.rename(A, B);
          catalog.rename(B, A);
          describe(A, "new");
          dieAtPut(3, false);
          assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
          return get.read();
        });
    catalog.rename(A, B);
    catalog.rename(A, B); // now the one that died
    assertThat(list()).containsExactly(B);
    assertThat(description(B)).isEqualTo("new");
  }

  @Test
  void rename_does_not_undo_one_back_that_came_right_after() throws IOException {
    create(A);
    for (int i = 0; i < 3; i++) {
      store.nextPut(ScriptedStore.PutRequest::apply);
    }
    store.nextPut(
        put -> {
          PutOutcome outcome = put.apply();
          catalog.rename(B, A);
          return outcome;
        });
    catalog.rename(A, B);
    assertThat(list()).containsExactly(A);
  }

  @Test
  void rename_does_not_take_what_has_got_the_old_name_since() throws IOException {
    create(A);
    store.nextPut(ScriptedStore.PutRequest::apply);
    store.nextPut(
        put -> {
          catalog.rename(A, C);
          create(A);
          return put.apply();
        });
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(ManifestException.Gone.class);
    assertThat(list()).containsExactlyInAnyOrder(A, C);
  }

  @Test
  void rename_in_doubt_that_others_have_finished_and_undone_is_success() throws IOException {
    create(A);
    store.nextPut(ScriptedStore.PutRequest::apply);
    store.nextPut(
        put -> {
          put.apply();
          catalog.rename(A, B);
          catalog.rename(B, A);
          return ScriptedStore.NO_ANSWER;
        });
    catalog.rename(A, B);
    assertThat(list()).containsExactly(A);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rename_that_another_has_finished_is_success_though_the_repository_is_gone_since(boolean used)
      throws IOException {
    String repositoryId = create(A).manifest().repositoryId();
    store.nextPut(ScriptedStore.PutRequest::apply); // the reservation
    store.nextPut(
        put -> {
          catalog.rename(A, B);
          catalog.delete(B);
          if (used) {
            create(A);
          }
          return put.apply();
        });
    assertThat(catalog.rename(A, B)).isEqualTo(repositoryId);
    assertThat(list()).isEqualTo(used ? List.of(A) : List.of());
  }

  @Test
  void rename_that_another_has_finished_is_unknown_once_many_have_left_the_name()
      throws IOException {
    create(A);
    store.nextPut(ScriptedStore.PutRequest::apply); // the reservation
    store.nextPut(
        put -> {
          catalog.rename(A, B);
          for (int i = 0; i < Departure.KEPT; i++) {
            create(A);
            catalog.rename(A, RepositoryName.of("other" + i));
          }
          return put.apply();
        });
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(UnknownOutcomeException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void rename_whose_deadline_passes_after_a_write_is_no_longer_said_to_be_not_attempted(int write)
      throws IOException {
    create(A);
    VirtualTime time = new VirtualTime();
    for (int i = 1; i < write; i++) {
      store.nextPut(ScriptedStore.PutRequest::apply);
    }
    store.nextPut(
        put -> {
          time.sleep(POLICY.deadline().toNanos());
          return put.apply();
        });
    RepositoryCatalog late = new RepositoryCatalog(store, POLICY, time, new SplittableRandom(1));
    assertThatThrownBy(() -> late.rename(A, B)).isInstanceOf(UnknownOutcomeException.class);
    catalog.rename(A, B);
    assertThat(list()).containsExactly(B);
  }

  @Test
  void rename_in_doubt_that_a_commit_overtook_is_begun_again() throws IOException {
    create(A);
    store.nextPut(ScriptedStore.PutRequest::apply);
    store.nextPut(
        put -> {
          describe(A, "new");
          return ScriptedStore.NO_ANSWER;
        });
    catalog.rename(A, B);
    assertThat(list()).containsExactly(B);
    assertThat(description(B)).isEqualTo("new");
  }

  @Test
  void reservation_of_a_rename_that_stalled_is_not_that_of_the_one_that_was_finished()
      throws IOException {
    create(A);
    describe(A, "old");
    store.nextGet(ScriptedStore.GetRequest::read);
    store.nextGet(
        get -> {
          dieAtPut(4, false);
          assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
          catalog.rename(B, C);
          describe(C, "new");
          return get.read();
        });
    catalog.rename(A, B);
    assertThat(list()).containsExactly(C);
    assertThat(description(C)).isEqualTo("new");
    create(B);
  }

  @Test
  void rename_is_finished_though_the_new_name_has_another_life_by_then() throws IOException {
    create(A);
    dieAtPut(4, false);
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
    catalog.delete(B);
    VersionedManifest other = create(B);
    catalog.rename(A, B);
    assertThat(catalog.read(B)).contains(other);
    create(A);
  }

  @Test
  void two_renames_to_one_name_have_one_winner() throws IOException {
    create(A);
    create(C);
    store.nextPut(
        put -> {
          catalog.rename(C, B);
          return put.apply();
        });
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(ManifestException.Exists.class);
    assertThat(list()).containsExactlyInAnyOrder(A, B);
    describe(A, "still writable");
  }

  @Test
  void two_processes_may_finish_one_rename_together() throws IOException {
    create(A);
    store.nextPut(
        put -> {
          catalog.rename(A, B);
          return put.apply();
        });
    catalog.rename(A, B);
    assertThat(list()).containsExactly(B);
  }

  @Test
  void repository_that_requires_an_unknown_feature_is_neither_deleted_nor_renamed()
      throws IOException {
    create(A);
    ManifestFixture.rewrite(store, A, json -> json.putArray("requires").add("quantum"));
    byte[] before = store.bytes(A.manifestKey());
    assertThatThrownBy(() -> catalog.delete(A))
        .isInstanceOf(ManifestException.Unsupported.class)
        .hasMessageContaining("quantum");
    assertThatThrownBy(() -> catalog.rename(A, B))
        .isInstanceOf(ManifestException.Unsupported.class);
    assertThat(store.bytes(A.manifestKey())).isEqualTo(before);
  }

  @Test
  void garbage_under_a_name_is_never_overwritten() throws IOException {
    byte[] garbage = "garbage".getBytes(StandardCharsets.UTF_8);
    store.overwrite(A.manifestKey(), garbage);
    create(C);
    assertThatThrownBy(() -> create(A)).isInstanceOf(ManifestException.Corrupt.class);
    assertThatThrownBy(() -> catalog.delete(A)).isInstanceOf(ManifestException.Corrupt.class);
    assertThatThrownBy(() -> catalog.rename(C, A)).isInstanceOf(ManifestException.Corrupt.class);
    assertThat(store.bytes(A.manifestKey())).isEqualTo(garbage);
  }

  private void assertRenameFinishes(String repositoryId) throws IOException {
    assertThatThrownBy(() -> catalog.rename(A, B)).isInstanceOf(Crash.class);
    catalog.rename(A, B);
    assertThat(list()).containsExactly(B);
    assertThat(catalog.read(B).orElseThrow().manifest().repositoryId()).isEqualTo(repositoryId);
    describe(B, "writable");
  }

  private void dieAtPut(int number, boolean applied) {
    for (int i = 1; i < number; i++) {
      store.nextPut(ScriptedStore.PutRequest::apply);
    }
    store.nextPut(
        put -> {
          if (applied) {
            put.apply();
          }
          throw new Crash();
        });
  }

  private VersionedManifest create(RepositoryName name) throws IOException {
    return catalog.create(name, RepositorySettings.NONE, ManifestFixture.HEAD);
  }

  private void describe(RepositoryName name, String description) throws IOException {
    try (ManifestCommitter committer = new ManifestCommitter(store, name, POLICY)) {
      committer.commit(ManifestFixture.describing(description));
    }
  }

  private String description(RepositoryName name) throws IOException {
    return catalog.read(name).orElseThrow().manifest().settings().description();
  }

  private List<RepositoryName> list() throws IOException {
    List<RepositoryName> names = new ArrayList<>();
    catalog.list(names::add);
    return names;
  }
}

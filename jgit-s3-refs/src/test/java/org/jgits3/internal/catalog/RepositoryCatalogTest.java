// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.ManifestFixture;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.ScriptedStore;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.commit.VirtualTime;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryCatalogTest {
  private static final RepositoryName A = RepositoryName.of("team/a");
  private static final RepositoryName B = RepositoryName.of("team/b");
  private static final RepositoryName C = RepositoryName.of("c");
  private static final RepositoryName D = RepositoryName.of("d");
  private static final RepositorySettings SETTINGS = RepositorySettings.NONE;
  private static final Refs HEAD = ManifestFixture.HEAD;
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final VirtualTime time = new VirtualTime();
  private ScriptedStore store = new ScriptedStore();
  private RepositoryCatalog catalog = catalog();

  private RepositoryCatalog catalog() {
    return new RepositoryCatalog(store, DEADLINE, time, new SplittableRandom(1));
  }

  /** Work of a process. */
  @FunctionalInterface
  private interface Work {
    String on(RepositoryCatalog catalog) throws IOException;
  }

  /** The end of a process that is killed. A commit that catches it has an unknown outcome. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /** Operations on a store in which A is a repository and B was one. */
  @SuppressWarnings("ImmutableEnumChecker") // functions of nothing but their arguments
  enum Operation {
    CREATION("NU", by -> create(by, C)),
    CREATION_AT_A_USED_NAME("NNU", by -> create(by, B)),
    RENAME("NU", by -> rename(by, A, C)),
    RENAME_TO_A_USED_NAME("NNU", by -> rename(by, A, B)),
    IMPORT("UNU", by -> importTo(by, C)),
    DELETION("U", by -> delete(by, A));

    /** Outcomes by the number of writes that are answered: not committed, or unknown. */
    private final String outcomes;

    private final Work process;

    Operation(String outcomes, Work process) {
      this.outcomes = outcomes;
      this.process = process;
    }
  }

  private static String create(RepositoryCatalog by, RepositoryName name) throws IOException {
    return by.create(name, SETTINGS, HEAD).manifest().repositoryId();
  }

  private static String rename(RepositoryCatalog by, RepositoryName from, RepositoryName to)
      throws IOException {
    return by.rename(Optional.empty(), from, to);
  }

  private static String delete(RepositoryCatalog by, RepositoryName name) throws IOException {
    return by.delete(Optional.empty(), name, any -> {});
  }

  private static String importTo(RepositoryCatalog by, RepositoryName name) throws IOException {
    String id = by.createImport(false, SETTINGS, HEAD).manifest().repositoryId();
    by.publish(id, name);
    return id;
  }

  private void begin() throws IOException {
    store = new ScriptedStore();
    catalog = catalog();
    create(catalog, A);
    create(catalog, B);
    delete(catalog, B);
  }

  private Optional<String> look(RepositoryName name) throws IOException {
    return StoredManifest.holder(store, name);
  }

  private List<RepositoryName> list() throws IOException {
    List<RepositoryName> names = new ArrayList<>();
    catalog.list(names::add);
    return names;
  }

  /** Does something in a process that is killed when it has sent some requests; false if fewer. */
  private boolean isKilled(int requests, IoRunnable work) throws IOException {
    AtomicInteger left = new AtomicInteger(requests);
    Runnable request =
        () -> {
          if (left.getAndDecrement() <= 0) {
            throw new Killed();
          }
        };
    store.everyPut(
        put -> {
          request.run();
          return put.apply();
        });
    store.everyGet(
        get -> {
          request.run();
          return get.read();
        });
    try {
      work.run();
      return false;
    } catch (Killed | UnknownOutcomeException e) {
      return true;
    } finally {
      store.everyPut(ScriptedStore.PutRequest::apply);
      store.everyGet(ScriptedStore.GetRequest::read);
    }
  }

  /** Does something in a process that is killed at its next write without another script. */
  private void killedAtNextPut(IoRunnable work) {
    store.nextPut(
        put -> {
          throw new Killed();
        });
    assertThatThrownBy(work::run).isInstanceOfAny(Killed.class, UnknownOutcomeException.class);
  }

  /** Takes a name in a process that is killed after the first of its two writes. */
  private void killedBeforeItsCommit(IoRunnable work) {
    store.nextPut(ScriptedStore.PutRequest::apply);
    killedAtNextPut(work);
  }

  private void loseAnswer(int number) {
    for (int i = 1; i < number; i++) {
      store.nextPut(ScriptedStore.PutRequest::apply);
    }
    store.loseAnswer();
  }

  @ParameterizedTest
  @EnumSource
  void answer_that_is_lost_changes_no_outcome(Operation operation) throws IOException {
    begin();
    operation.process.on(catalog);
    List<RepositoryName> expected = list();
    for (int number = 1; number <= 4; number++) {
      begin();
      loseAnswer(number);
      operation.process.on(catalog);
      assertThat(list()).as("answer %d lost", number).isEqualTo(expected);
      for (RepositoryName name : expected) {
        assertThat(look(name)).isPresent();
      }
    }
  }

  /** Rule 9 of names. */
  @ParameterizedTest
  @EnumSource
  void process_that_is_killed_at_any_request_keeps_no_name(Operation operation) throws Exception {
    boolean over = false;
    for (int sent = 0; !over; sent++) {
      begin();
      over = !isKilled(sent, () -> operation.process.on(catalog));
      for (RepositoryName name : List.of(A, B, C)) {
        if (look(name).isEmpty()) {
          String created = create(catalog, name);
          assertThat(look(name)).as("after %d requests", sent).contains(created);
        }
        assertThatThrownBy(() -> create(catalog, name))
            .isInstanceOf(ManifestException.Exists.class);
      }
      assertThat(list()).containsExactlyInAnyOrder(A, B, C);
    }
  }

  @ParameterizedTest
  @EnumSource
  void write_that_is_never_answered_ends_at_the_deadline(Operation operation) throws IOException {
    for (int answered = 0; answered < operation.outcomes.length(); answered++) {
      begin();
      for (int i = 0; i < answered; i++) {
        store.nextPut(ScriptedStore.PutRequest::apply);
      }
      store.everyPut(put -> new PutOutcome.Unknown("scripted: come again", Duration.ofDays(1)));
      long began = time.nanoTime();
      boolean unknown = operation.outcomes.charAt(answered) == 'U';
      assertThatThrownBy(() -> operation.process.on(catalog))
          .as("%d writes answered", answered)
          .isInstanceOf(
              unknown ? UnknownOutcomeException.class : ManifestException.NotCommitted.class);
      assertThat(Duration.ofNanos(time.nanoTime() - began)).isEqualTo(DEADLINE);
      assertThat(look(A)).isPresent();
      store.everyPut(ScriptedStore.PutRequest::apply);
      operation.process.on(catalog);
    }
  }

  @Test
  void create_is_two_requests() throws IOException {
    String id = create(catalog, A);
    assertThat(store.puts()).hasSize(2);
    assertThat(store.gets()).isZero();
    Manifest made = StoredManifest.read(store, A.value());
    assertThat(made.repositoryId()).isEqualTo(id);
    assertThat(made.generation()).isEqualTo(1);
    assertThat(made.epoch()).isEqualTo(1);
  }

  @Test
  void create_refuses_a_name_that_is_taken() throws IOException {
    create(catalog, A);
    assertThatThrownBy(() -> create(catalog, A))
        .isInstanceOf(ManifestException.Exists.class)
        .hasMessage(
            "memory:/names/team/a.git: there is a repository team/a already; choose another name");
  }

  @Test
  void create_of_a_repository_deleted_before_the_answer_says_that_it_is_gone() throws IOException {
    store.nextPut(ScriptedStore.PutRequest::apply); // the pointer
    store.loseAnswerAfter(
        () -> {
          delete(catalog, A);
          create(catalog, A);
        });
    assertThatThrownBy(() -> create(catalog, A)).isInstanceOf(ManifestException.Gone.class);
  }

  @Test
  void create_whose_repository_was_renamed_before_the_answer_is_success() throws IOException {
    store.nextPut(ScriptedStore.PutRequest::apply); // the pointer
    store.loseAnswerAfter(() -> rename(catalog, A, B));
    String id = create(catalog, A);
    assertThat(look(B)).contains(id);
  }

  @Test
  void create_whose_outcome_cannot_be_read_is_unknown() throws IOException {
    loseAnswer(2);
    store.nextGet(ScriptedStore.UNREADABLE);
    assertThatThrownBy(() -> create(catalog, A))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasRootCauseMessage("away");
    assertThat(look(A)).isPresent();
  }

  @Test
  void delete_leaves_a_tombstone_and_a_free_name_that_a_listing_passes_over() throws IOException {
    String id = create(catalog, A);
    create(catalog, B);
    assertThat(delete(catalog, A)).isEqualTo(id);
    assertThat(list()).containsExactly(B);
    List<RepositoryName> used = new ArrayList<>();
    catalog.listAll(used::add);
    assertThat(used).containsExactlyInAnyOrder(A, B);
    Manifest tombstone = ManifestFile.read(store, id).orElseThrow().manifest();
    assertThat(tombstone.state()).isInstanceOf(RepositoryState.Deleted.class);
    assertThat(tombstone.generation()).isEqualTo(2);
    assertThat(tombstone.epoch()).isEqualTo(2);
    assertThat(catalog.find(A)).isEmpty();
  }

  @Test
  void check_before_a_deletion_may_take_longer_than_the_deadline() throws IOException {
    String id = create(catalog, A);
    long pause = DEADLINE.multipliedBy(2).toNanos();
    assertThat(catalog.delete(Optional.empty(), A, found -> time.sleep(pause))).isEqualTo(id);
  }

  @Test
  void check_that_refuses_a_deletion_keeps_the_repository() throws IOException {
    String id = create(catalog, A);
    assertThatThrownBy(
            () ->
                catalog.delete(
                    Optional.of(id),
                    A,
                    found -> {
                      throw new IOException("it is needed");
                    }))
        .hasMessage("it is needed");
    assertThat(look(A)).contains(id);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void delete_that_was_made_is_success_though_the_name_is_used_again(boolean copied)
      throws IOException {
    create(catalog, A);
    store.nextPut(
        put -> {
          put.apply();
          create(catalog, A);
          return copied ? put.apply() : ScriptedStore.NO_ANSWER;
        });
    delete(catalog, A);
    assertThat(list()).containsExactly(A);
  }

  @Test
  void rename_keeps_the_id_and_all_content_and_frees_the_old_name() throws IOException {
    create(catalog, A);
    describe(A, "kept");
    Manifest before = StoredManifest.read(store, A.value());
    rename(catalog, A, B);
    Manifest after = StoredManifest.read(store, B.value());
    assertThat(after.repositoryId()).isEqualTo(before.repositoryId());
    assertThat(after.content()).isEqualTo(before.content());
    assertThat(after.sweepBoundary()).isEqualTo(before.sweepBoundary());
    assertThat(after.generation()).isEqualTo(before.generation() + 1);
    assertThat(after.epoch()).isEqualTo(2);
    assertThat(list()).containsExactly(B);
    assertThat(catalog.find(A)).isEmpty();
  }

  @Test
  void rename_of_what_is_not_there_or_to_a_name_that_is_taken_changes_nothing() throws IOException {
    assertThatThrownBy(() -> rename(catalog, A, B)).isInstanceOf(ManifestException.Gone.class);
    assertThat(store.puts()).isEmpty();
    create(catalog, A);
    create(catalog, B);
    Manifest before = StoredManifest.read(store, A.value());
    for (RepositoryName taken : List.of(A, B)) {
      assertThatThrownBy(() -> rename(catalog, A, taken))
          .isInstanceOf(ManifestException.Exists.class);
    }
    assertThat(StoredManifest.read(store, A.value())).isEqualTo(before);
  }

  @Test
  void rename_fences_writers_and_readers_of_the_old_name() throws IOException {
    create(catalog, A);
    try (ManifestCommitter committer = StoredManifest.committer(store, A, DEADLINE)) {
      committer.validate();
      rename(catalog, A, B);
      assertThatThrownBy(() -> committer.commit(ManifestFixture.describing("late")))
          .isInstanceOf(ManifestException.Gone.class)
          .hasMessageContaining("is called team/b now");
      assertThatThrownBy(committer::validate).isInstanceOf(ManifestException.Gone.class);
    }
  }

  @Test
  void rename_that_a_commit_overtook_is_made_on_top_of_it() throws IOException {
    create(catalog, A);
    store.nextPut(ScriptedStore.PutRequest::apply); // the pointer
    store.nextPut(
        put -> {
          describe(A, "new");
          return ScriptedStore.NO_ANSWER;
        });
    rename(catalog, A, B);
    assertThat(StoredManifest.read(store, B.value()).settings().description()).isEqualTo("new");
  }

  @Test
  void rename_in_doubt_that_others_have_undone_is_success() throws IOException {
    String id = create(catalog, A);
    store.nextPut(ScriptedStore.PutRequest::apply); // the pointer
    store.loseAnswerAfter(() -> rename(catalog, B, A));
    assertThat(rename(catalog, A, B)).isEqualTo(id);
    assertThat(look(A)).contains(id);
    assertThat(list()).containsExactly(A);
  }

  @Test
  void fork_without_its_template_is_unknown_if_others_have_renamed_it() throws IOException {
    String id = catalog.createImport(true, SETTINGS, HEAD).manifest().repositoryId();
    try (ManifestCommitter committer =
        new ManifestCommitter(new ManifestFile(store, id, Optional.empty()), DEADLINE)) {
      Optional<Manifest.Template> itself =
          Optional.of(new Manifest.Template(id, committer.known().generation()));
      committer.<Boolean>commit(base -> Proposal.edit(base.withTemplate(itself), true));
    }
    catalog.publish(id, C);
    VersionedManifest template = StoredManifest.readVersioned(store, C.value());
    store.nextGet(
        get -> { // the second look at the template
          delete(catalog, C);
          rename(catalog, A, B);
          return get.read();
        });
    assertThatThrownBy(() -> catalog.fork(A, template, true))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  @Test
  void operation_of_a_process_that_knew_another_repository_obeys_the_name() throws IOException {
    Optional<String> known = Optional.of(create(catalog, A));
    rename(catalog, A, C);
    String id = create(catalog, A);
    assertThat(catalog.rename(known, A, B)).isEqualTo(id);
    assertThat(catalog.delete(known, B, any -> {})).isEqualTo(id);
    assertThat(look(C)).isEqualTo(known);
  }

  @Test
  void import_has_no_name_until_it_is_published() throws IOException {
    String id = catalog.createImport(false, SETTINGS, HEAD).manifest().repositoryId();
    assertThat(list()).isEmpty();
    create(catalog, A);
    assertThatThrownBy(() -> catalog.publish(id, A)).isInstanceOf(ManifestException.Exists.class);
    catalog.publish(id, B);
    assertThat(look(B)).contains(id);
    assertThatThrownBy(() -> catalog.publish(id, C)).isInstanceOf(ManifestException.Gone.class);
    assertThatThrownBy(() -> catalog.deleteImport(id)).isInstanceOf(ManifestException.Gone.class);
    String deleted = catalog.createImport(true, SETTINGS, HEAD).manifest().repositoryId();
    catalog.deleteImport(deleted);
    assertThatThrownBy(() -> catalog.publish(deleted, C))
        .isInstanceOf(ManifestException.Gone.class);
    assertThat(list()).containsExactlyInAnyOrder(A, B);
  }

  @Test
  void repository_whose_pointer_was_not_copied_is_repaired_or_named_by_its_id() throws IOException {
    String id = create(catalog, A);
    store.delete(List.of(A.pointerKey()));
    catalog.repair(id, A);
    assertThat(look(A)).contains(id);
    store.delete(List.of(A.pointerKey()));
    String other = create(catalog, A);
    assertThatThrownBy(() -> catalog.repair(id, A)).isInstanceOf(ManifestException.Exists.class);
    catalog.rename(id, A, B);
    assertThat(look(A)).contains(other);
    assertThat(look(B)).contains(id);
  }

  @Test
  void repository_whose_name_leads_to_another_is_deleted_by_its_id() throws IOException {
    String id = create(catalog, A);
    store.delete(List.of(A.pointerKey()));
    String other = create(catalog, A);
    catalog.delete(id, A, any -> {});
    assertThat(look(A)).contains(other);
    assertThatThrownBy(() -> catalog.delete(id, A, any -> {}))
        .isInstanceOf(ManifestException.Gone.class);
  }

  @Test
  void repository_of_a_newer_format_keeps_its_name() throws IOException {
    create(catalog, A);
    ManifestFixture.rewrite(store, A, json -> json.put("format", Manifest.FORMAT + 1));
    String key = StoredManifest.key(store, A.value());
    byte[] before = store.bytes(key);
    assertThatThrownBy(() -> delete(catalog, A)).isInstanceOf(ManifestException.Unsupported.class);
    assertThatThrownBy(() -> rename(catalog, A, B))
        .isInstanceOf(ManifestException.Unsupported.class);
    assertThat(store.bytes(key)).isEqualTo(before);
    assertThat(list()).containsExactly(A);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void damaged_pointer_or_manifest_is_never_overwritten(boolean pointer) throws IOException {
    create(catalog, A);
    create(catalog, C);
    String key = pointer ? A.pointerKey() : StoredManifest.key(store, A.value());
    byte[] garbage = "garbage".getBytes(StandardCharsets.UTF_8);
    store.overwrite(key, garbage);
    List<ThrowingCallable> uses =
        List.of(
            () -> create(catalog, A),
            () -> delete(catalog, A),
            () -> rename(catalog, A, B),
            () -> rename(catalog, C, A),
            () -> look(A));
    for (ThrowingCallable use : uses) {
      assertThatThrownBy(use)
          .isInstanceOf(ManifestException.Corrupt.class)
          .hasMessageContaining(key);
    }
    assertThat(store.bytes(key)).isEqualTo(garbage);
  }

  @Test
  void damaged_pointer_is_freed_on_demand_and_no_other() throws IOException {
    String id = create(catalog, A);
    assertThat(catalog.free(A)).isFalse();
    assertThat(catalog.free(B)).isFalse();
    store.overwrite(A.pointerKey(), new byte[NamePointer.LEAST_BYTES]);
    assertThat(catalog.free(A)).isTrue();
    assertThat(catalog.find(A)).isEmpty();
    catalog.repair(id, A);
    assertThat(look(A)).contains(id);
  }

  @Test
  void name_that_no_repository_has_leaves_the_listing_and_no_other() throws Exception {
    create(catalog, A);
    create(catalog, D);
    killedBeforeItsCommit(() -> rename(catalog, A, B));
    killedBeforeItsCommit(() -> create(catalog, C));
    assertThat(list()).containsExactlyInAnyOrder(A, B, C, D);
    for (RepositoryName name : List.of(A, B, C, D)) {
      catalog.release(name);
    }
    assertThat(list()).containsExactlyInAnyOrder(A, D);
    assertThat(look(A)).isPresent();
    assertThat(look(D)).isPresent();
  }

  /** Lets a process that is killed afterwards fence the commit of a bind that has the pointer. */
  private void fenceBeforeTheCommit(RepositoryName name) {
    store.nextPut(ScriptedStore.PutRequest::apply);
    store.applyAfter(
        () -> {
          store.nextPut(ScriptedStore.PutRequest::apply); // refused
          store.nextPut(ScriptedStore.PutRequest::apply); // the fence
          killedAtNextPut(() -> create(catalog, name));
          assertThat(look(name)).isEmpty();
        });
  }

  @Test
  void bind_that_was_fenced_begins_anew_under_another_id_or_in_the_next_epoch() throws IOException {
    fenceBeforeTheCommit(A);
    String id = create(catalog, A);
    assertThat(look(A)).contains(id);
    assertThat(manifests()).as("and a tombstone").isEqualTo(2);
    fenceBeforeTheCommit(B);
    rename(catalog, A, B);
    assertThat(look(B)).contains(id);
    assertThat(look(A)).isEmpty();
    assertThat(manifests()).isEqualTo(2);
  }

  @Test
  void E_m39_name_of_a_bind_that_was_killed_is_taken_after_a_second() throws IOException {
    String id = create(catalog, A);
    killedBeforeItsCommit(() -> rename(catalog, A, B));
    long began = time.nanoTime();
    String created = create(catalog, B);
    assertThat(look(B)).contains(created);
    assertThat(time.nanoTime() - began).isGreaterThanOrEqualTo(Bind.PATIENCE.toNanos());
    assertThat(look(A)).contains(id);
  }

  @Test
  void bind_of_a_template_is_fenced_as_any_other() throws IOException {
    String id = create(catalog, A);
    Manifest.Template itself = new Manifest.Template(id, 1);
    StoredManifest.rewrite(store, A.value(), made -> made.withTemplate(Optional.of(itself)));
    killedBeforeItsCommit(() -> rename(catalog, A, C));
    String created = create(catalog, C);
    assertThat(look(C)).contains(created);
    assertThat(look(A)).contains(id);
    assertThat(StoredManifest.read(store, A.value()).isTemplate()).isTrue();
  }

  @Test
  void name_is_refused_if_the_bind_under_way_cannot_be_fenced() throws IOException {
    create(catalog, A);
    killedBeforeItsCommit(() -> rename(catalog, A, C));
    ManifestFixture.rewrite(store, A, json -> json.put("format", Manifest.FORMAT + 1));
    assertThatThrownBy(() -> create(catalog, C)).isInstanceOf(ManifestException.Unsupported.class);
    assertThatThrownBy(() -> look(C)).isInstanceOf(ManifestException.Unsupported.class);
    assertThat(manifests()).isEqualTo(1);
  }

  private int manifests() throws IOException {
    AtomicInteger listed = new AtomicInteger();
    Manifests.list(store, (id, object) -> listed.incrementAndGet());
    return listed.get();
  }

  @Test
  void names_that_begin_with_a_text_are_listed() throws IOException {
    for (String name : List.of("team/a", "team/b", "team/b2/c", "teams", "c")) {
      create(catalog, RepositoryName.of(name));
    }
    for (String start : List.of("", "t", "team", "team/", "team/b", "team/b2/", "x/y")) {
      List<RepositoryName> found = new ArrayList<>();
      catalog.list(start, found::add);
      assertThat(found)
          .as(start)
          .containsExactlyInAnyOrderElementsOf(
              list().stream().filter(name -> name.value().startsWith(start)).toList());
    }
  }

  @Test
  void name_that_differs_in_case_is_refused_by_a_store_that_ignores_case() throws IOException {
    ObjectStore ignoring =
        new DelegatingObjectStore(store) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            return super.get(key.toLowerCase(Locale.ROOT), known);
          }

          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition condition)
              throws IOException {
            return super.putIf(key.toLowerCase(Locale.ROOT), body, condition);
          }
        };
    RepositoryCatalog by = new RepositoryCatalog(ignoring, DEADLINE, time, new SplittableRandom(1));
    String id = create(by, A);
    create(by, B);
    RepositoryName alike = RepositoryName.of("Team/A");
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> create(by, alike), () -> rename(by, B, alike), () -> rename(by, A, alike))) {
      assertThatThrownBy(use)
          .isInstanceOf(ManifestException.Exists.class)
          .hasMessageContaining("because the store ignores case");
    }
    assertThat(look(A)).contains(id);
  }

  /** As versitygw 1.8 refuses it in a bucket with versioning, after a deletion. */
  @Test
  void name_that_is_missing_and_cannot_be_created_is_an_error_at_once() {
    store.everyPut(put -> ScriptedStore.REFUSED);
    assertThatThrownBy(() -> create(catalog, A))
        .isInstanceOf(ManifestException.class)
        .hasMessageEndingWith(
            "/names/team/a.git: is missing, and the store refuses to create it; delete its old"
                + " versions");
    assertThat(store.puts()).hasSize(1);
  }

  private void describe(RepositoryName name, String description) throws IOException {
    try (ManifestCommitter committer = StoredManifest.committer(store, name, DEADLINE)) {
      committer.commit(ManifestFixture.describing(description));
    }
  }
}

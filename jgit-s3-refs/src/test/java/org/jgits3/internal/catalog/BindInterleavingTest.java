// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.catalog.SteppedProcess.Operation;
import org.jgits3.internal.commit.ManifestFixture;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Processes that give names to repositories, in the interleavings that the search of epochs found
 * without one of its rules. At each moment the pointer of the name that a repository says leads to
 * it.
 */
@Holds(
    "Bind, NamePointer, ManifestFile: A name stands for at most one repository. No two "
        + "repositories say one name. (E-m1 to E-m8)")
@Holds("Bind: A killed process blocks no name, and no process finishes what another began (E-m39)")
@Holds(
    "Bind, CommitLoop: A refused or uncommitted operation has no effect, an acknowledged one has "
        + "it (E-m7, E-m25)")
@Holds(
    "RepositoryCatalog: A repository is deleted only by a name that it has at that moment (E-m29)")
@Holds(
    "RepositoryCatalog: Pointers and manifests are never removed, so that late creations fail "
        + "(A11, A12, E-m9, E-m12, E-m13)")
@Timeout(120) // threads wait for each other
class BindInterleavingTest {
  private static final RepositoryName A = RepositoryName.of("a");
  private static final RepositoryName B = RepositoryName.of("b");
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final RepositoryName C = RepositoryName.of("c");

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final RepositoryCatalog catalog = new RepositoryCatalog(store, DEADLINE);
  private final List<SteppedProcess<?>> processes = new ArrayList<>();

  @AfterEach
  void kill() {
    processes.forEach(SteppedProcess::close);
  }

  private SteppedProcess<String> process(Operation<String> operation) throws Exception {
    SteppedProcess<String> begun = new SteppedProcess<>(store, operation, this::isSound);
    processes.add(begun);
    return begun;
  }

  private void isSound() throws IOException {
    Manifests.readAll(
        store,
        true,
        manifest -> {
          if (manifest.name().isPresent()) {
            assertThat(catalog.find(manifest.name().get()))
                .as("pointer of " + manifest.name().get())
                .contains(manifest.repositoryId());
          }
        });
  }

  private SteppedProcess<String> create(RepositoryName name) throws Exception {
    return process(other -> create(other, name));
  }

  private static String create(RepositoryCatalog by, RepositoryName name) throws IOException {
    return by.create(name, RepositorySettings.NONE, ManifestFixture.HEAD).manifest().repositoryId();
  }

  private SteppedProcess<String> rename(RepositoryName from, RepositoryName to) throws Exception {
    return process(other -> other.rename(Optional.empty(), from, to));
  }

  private SteppedProcess<String> delete(RepositoryName name) throws Exception {
    return process(other -> other.delete(Optional.empty(), name, any -> {}));
  }

  /** Case E-m1 of the model of epochs. */
  @Test
  void m1_pointer_of_a_bind_under_way_is_fenced_before_it_is_taken() throws Exception {
    String first = create(catalog, A);
    create(catalog, B);
    SteppedProcess<String> late = rename(A, C);
    late.upTo("PUT manifest");
    SteppedProcess<String> other = rename(B, C);
    other.upTo("PUT pointer c");
    other.send(); // refused: it is there
    other.upToPut();
    assertThat(late.end()).isEqualTo(first);
    assertThatThrownBy(other::end).isInstanceOf(ManifestException.Exists.class);
    assertThat(look(C)).contains(first);
  }

  /** Case E-m2. */
  @Test
  void m2_commit_of_a_bind_that_was_fenced_takes_its_pointer_anew() throws Exception {
    String first = create(catalog, A);
    String second = create(catalog, B);
    SteppedProcess<String> late = rename(A, C);
    late.upTo("PUT manifest");
    SteppedProcess<String> other = rename(B, C);
    other.upTo("PUT manifest"); // the fence
    other.send();
    other.upTo("PUT pointer c");
    assertThat(late.end()).isEqualTo(first);
    assertThatThrownBy(other::end).isInstanceOf(ManifestException.Exists.class);
    assertThat(look(C)).contains(first);
    assertThat(look(B)).contains(second);
  }

  /** Case E-m3. */
  @Test
  void m3_pointer_that_leads_to_the_repository_already_is_written_anew() throws Exception {
    String id = create(catalog, A);
    SteppedProcess<String> killed = rename(A, B);
    killed.upTo("PUT pointer a"); // frees the name, never sent
    SteppedProcess<String> creation = create(A);
    creation.send(); // refused: it is there
    creation.upToPut();
    assertThat(rename(B, A).end()).isEqualTo(id);
    assertThatThrownBy(creation::end).isInstanceOf(ManifestException.Exists.class);
    assertThat(look(A)).contains(id);
  }

  /** Case E-m4. */
  @Test
  void m4_pointer_that_was_absent_is_written_only_if_it_still_is() throws Exception {
    String id = create(catalog, A);
    SteppedProcess<String> creation = create(B);
    creation.upTo("PUT pointer b");
    rename(A, B).end();
    assertThatThrownBy(creation::end).isInstanceOf(ManifestException.Exists.class);
    assertThat(look(B)).contains(id);
  }

  /** Case E-m5. */
  @Test
  void m5_pointer_in_use_is_not_taken() throws Exception {
    String id = create(catalog, A);
    create(catalog, B);
    assertThatThrownBy(create(A)::end).isInstanceOf(ManifestException.Exists.class);
    assertThatThrownBy(rename(B, A)::end).isInstanceOf(ManifestException.Exists.class);
    assertThat(look(A)).contains(id);
  }

  /** Case E-m6. */
  @Test
  void m6_creation_is_fenced_by_a_tombstone_before_its_name_is_taken() throws Exception {
    SteppedProcess<String> late = create(A);
    late.upTo("PUT manifest");
    SteppedProcess<String> other = create(A);
    other.send(); // refused: it is there
    other.upToPut();
    String id = late.end();
    assertThatThrownBy(other::end).isInstanceOf(ManifestException.Exists.class);
    assertThat(look(A)).contains(id);
  }

  @Test
  void creation_that_was_fenced_begins_anew_under_another_id() throws Exception {
    SteppedProcess<String> late = create(A);
    late.upTo("PUT manifest");
    SteppedProcess<String> killed = create(A);
    killed.upTo("PUT manifest"); // the fence
    killed.send();
    killed.close();
    assertThat(look(A)).isEmpty();
    String id = late.end();
    assertThat(look(A)).contains(id);
    assertThat(manifests()).as("and a tombstone").isEqualTo(2);
  }

  /** Case E-m7. */
  @Test
  void m7_bind_finds_its_own_commit_after_the_answer_was_lost() throws Exception {
    String id = create(catalog, A);
    SteppedProcess<String> rename = rename(A, B);
    rename.upTo("PUT manifest");
    rename.sendWithoutAnswer();
    assertThat(rename.end()).isEqualTo(id);
    SteppedProcess<String> creation = create(A);
    creation.upTo("PUT manifest");
    creation.sendWithoutAnswer();
    assertThat(look(A)).contains(creation.end());
    assertThat(manifests()).isEqualTo(2);
  }

  /** Case E-m8. */
  @Test
  void m8_reader_goes_by_pointer_and_manifest_together() throws Exception {
    String id = create(catalog, A);
    SteppedProcess<String> rename = rename(A, B);
    rename.upTo("PUT manifest");
    assertThat(look(A)).contains(id);
    assertThat(look(B)).isEmpty();
    assertThatThrownBy(delete(B)::end).isInstanceOf(ManifestException.Gone.class);
    rename.send();
    assertThat(look(A)).isEmpty();
    assertThat(look(B)).contains(id);
  }

  /** Case E-m9. */
  @Test
  void m9_dead_pointer_is_freed_only_if_it_is_still_the_one_that_was_read() throws Exception {
    String id = create(catalog, A);
    SteppedProcess<String> rename = rename(A, B);
    rename.upTo("PUT pointer a"); // frees the name
    assertThat(rename(B, A).end()).isEqualTo(id);
    assertThat(rename.end()).isEqualTo(id);
    assertThat(look(A)).contains(id);
  }

  /** Case E-m29. */
  @Test
  void m29_deletion_that_is_repeated_looks_at_the_name_again() throws Exception {
    String id = create(catalog, A);
    SteppedProcess<String> deletion = delete(A);
    deletion.upTo("PUT manifest");
    rename(A, B).end();
    assertThatThrownBy(deletion::end).isInstanceOf(ManifestException.Gone.class);
    assertThat(look(B)).contains(id);
  }

  /** Case E-m38. */
  @Test
  void m38_pointer_under_way_is_kept_though_its_manifest_says_another_name() throws Exception {
    String id = create(catalog, B);
    SteppedProcess<String> away = rename(B, A);
    away.upTo("PUT manifest");
    away.send();
    away.upTo("GET pointer b"); // to free the name
    SteppedProcess<String> back = rename(A, B);
    back.upTo("PUT manifest");
    away.end();
    assertThat(back.end()).isEqualTo(id);
    assertThat(look(B)).contains(id);
  }

  /** Case E-m39. */
  @Test
  void m39_name_of_a_bind_that_was_killed_is_taken_after_a_second() throws Exception {
    String id = create(catalog, A);
    SteppedProcess<String> rename = rename(A, B);
    rename.upTo("PUT manifest");
    rename.close();
    SteppedProcess<String> creation = create(B);
    String created = creation.end();
    assertThat(look(B)).contains(created);
    assertThat(creation.paused()).isGreaterThanOrEqualTo(Bind.PATIENCE);
    assertThat(look(A)).contains(id);
  }

  @Test
  void bind_of_a_template_is_fenced_as_any_other() throws Exception {
    String id = create(catalog, A);
    Manifest.Template itself = new Manifest.Template(id, 1);
    StoredManifest.rewrite(store, "a", made -> made.withTemplate(Optional.of(itself)));
    rename(A, C).upTo("PUT manifest"); // never sent
    String created = create(C).end();
    assertThat(look(C)).contains(created);
    assertThat(look(A)).contains(id);
    assertThat(StoredManifest.read(store, "a").isTemplate()).isTrue();
  }

  @Test
  void name_is_refused_if_the_bind_under_way_cannot_be_fenced() throws Exception {
    create(catalog, A);
    SteppedProcess<String> late = rename(A, C);
    late.upTo("PUT manifest");
    StoredManifest.rewrite(store, "a", BindInterleavingTest::requiringMore);
    assertThatThrownBy(create(C)::end).isInstanceOf(ManifestException.Unsupported.class);
    assertThat(look(C)).isEmpty();
    assertThat(manifests()).isEqualTo(1);
  }

  /** A manifest that only a later version may write. */
  private static Manifest requiringMore(Manifest made) {
    Manifest.Identity known = made.identity();
    Manifest.Identity later =
        new Manifest.Identity(
            known.repositoryId(),
            known.state(),
            known.epoch(),
            known.generation(),
            known.nonce(),
            Set.of("quantum"),
            known.template());
    return new Manifest(later, made.counters(), made.content(), made.extra());
  }

  private int manifests() throws IOException {
    AtomicInteger listed = new AtomicInteger();
    Manifests.list(store, (id, object) -> listed.incrementAndGet());
    return listed.get();
  }

  private Optional<String> look(RepositoryName name) throws IOException {
    return StoredManifest.holder(store, name);
  }
}

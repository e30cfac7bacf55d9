// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.UnlistedPack.State;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of the packs of changes, however the changes meet in batches. */
@Holds(
    "UnlistedPack: The first write for a request that changes something lists all packs that the "
        + "request hides, and decides them, even in a full heap. A refused push lists nothing. (P2, "
        + "P8)")
@Holds("UnlistedPack: No manifest lists a pack twice, or again after it was replaced")
class UnlistedPackTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final ManifestChange<String> NOTHING_ELSE = base -> Proposal.edit(base, "listed");
  private static final ManifestChange<String> REFUSED = base -> Proposal.noEdit("refused");

  private ManifestFile file;
  private ListingRules rules;
  private VersionedManifest base;
  private UnlistedPack pack;

  @BeforeEach
  void create_the_repository() throws IOException {
    ScriptedStore store = new ScriptedStore();
    Register.create(new RepositoryCatalog(store, DEADLINE), NAME);
    file = StoredManifest.file(store, NAME);
    rules = new ListingRules("r");
    base = file.read().orElseThrow();
    pack = new UnlistedPack(ManifestFixture.pack(ObjectNames.mint(base.manifest()))) {};
  }

  private SubmittedChange<String> change(ManifestChange<String> change) {
    SubmittedChange<String> submitted = new SubmittedChange<>(change, List.of(pack), 1, 1);
    submitted.enter();
    return submitted;
  }

  private CommitBatch batch(SubmittedChange<?>... changes) throws IOException {
    return new CommitBatch(file, base, List.of(changes), rules, "", "nonce");
  }

  private static void fail(SubmittedChange<String> change, IOException failure) {
    change.fail(progress -> failure);
  }

  private static List<String> ids(CommitBatch batch) {
    return batch.manifest().packs().stream().map(PackEntry::id).toList();
  }

  @Test
  void changes_of_one_batch_list_a_pack_once() throws IOException {
    SubmittedChange<String> first = change(ManifestFixture.describing("first"));
    SubmittedChange<String> second = change(ManifestFixture.describing("second"));
    CommitBatch batch = batch(first, second);
    assertThat(ids(batch)).containsExactly(pack.entry().id());
    assertThat(pack.state()).as("before the batch is decided").isEqualTo(State.HIDDEN);
    batch.deliver();
    assertThat(pack.state()).isEqualTo(State.LISTED);
    assertThat(List.of(first.get(), second.get())).containsExactly("first", "second");
  }

  @Test
  void refused_change_lists_no_pack_and_the_next_one_does() throws IOException {
    CommitBatch refused = batch(change(REFUSED));
    assertThat(ids(refused)).isEmpty();
    assertThat(refused.edited()).isFalse();
    assertThat(ids(batch(change(REFUSED), change(NOTHING_ELSE))))
        .containsExactly(pack.entry().id());
  }

  @Test
  void pack_that_was_listed_and_replaced_is_not_listed_again() throws IOException {
    SubmittedChange<String> second = change(NOTHING_ELSE); // waits while the first is written
    batch(change(ManifestFixture.describing("first"))).deliver();
    CommitBatch later = batch(second); // another process has replaced the pack
    assertThat(ids(later)).isEmpty();
    assertThat(later.edited()).isFalse();
  }

  @Test
  void pack_is_listed_by_another_change_after_one_was_not_written() throws IOException {
    SubmittedChange<String> overtaken = change(NOTHING_ELSE);
    batch(overtaken);
    fail(overtaken, new ManifestException.NotCommitted("others were faster"));
    assertThat(pack.state()).isEqualTo(State.HIDDEN);
    assertThat(pack.wasProposed()).as("a copy of that write may arrive late").isTrue();
    assertThat(ids(batch(change(NOTHING_ELSE)))).containsExactly(pack.entry().id());
  }

  @Test
  void pack_that_was_swept_is_forgotten_unless_it_is_listed() throws IOException {
    SubmittedChange<String> doubtful = change(NOTHING_ELSE);
    batch(doubtful);
    fail(doubtful, new UnknownOutcomeException("no answer", null));
    pack.swept();
    assertThat(pack.state()).isEqualTo(State.FORGOTTEN);
    pack.listed();
    pack.swept();
    assertThat(pack.state()).isEqualTo(State.LISTED);
  }

  @Holds(
      "UnlistedPack: A request whose pack is in doubt moves no ref until a manifest lists the "
          + "pack, which is then like any other")
  @Test
  void no_change_relies_on_a_pack_in_doubt_unless_it_is_listed() throws IOException {
    SubmittedChange<String> doubtful = change(NOTHING_ELSE);
    batch(doubtful);
    fail(doubtful, new UnknownOutcomeException("no answer", null));
    assertThat(pack.state()).isEqualTo(State.IN_DOUBT);
    assertThat(pack.forget()).isFalse();

    SubmittedChange<String> lost = change(ManifestFixture.describing("lost"));
    batch(lost).deliver();
    assertThatThrownBy(lost::get).isInstanceOf(UnlistedPack.LostException.class);
    assertThat(pack.state()).isEqualTo(State.IN_DOUBT);

    base = new VersionedManifest(base.manifest().withPacks(List.of(pack.entry())), base.version());
    SubmittedChange<String> good = change(ManifestFixture.describing("good"));
    CommitBatch with = batch(good);
    assertThat(ids(with)).containsExactly(pack.entry().id());
    with.deliver();
    assertThat(good.get()).isEqualTo("good");
    assertThat(pack.state()).isEqualTo(State.LISTED);
  }

  /** One of two changes in a write has less time. Its pack is listed if the write is applied. */
  @Test
  void doubt_of_one_change_ends_with_the_write_of_another() throws IOException {
    SubmittedChange<String> impatient = change(ManifestFixture.describing("impatient"));
    SubmittedChange<String> patient = change(ManifestFixture.describing("patient"));
    CommitBatch batch = batch(impatient, patient);
    fail(impatient, new UnknownOutcomeException("no answer", null));
    batch.deliver();
    assertThat(patient.get()).isEqualTo("patient");
    assertThat(pack.state()).isEqualTo(State.LISTED);
    assertThatThrownBy(impatient::get).isInstanceOf(UnknownOutcomeException.class);
  }

  @Test
  void pack_is_not_forgotten_while_a_change_with_it_is_undecided() {
    SubmittedChange<String> first = change(REFUSED);
    SubmittedChange<String> second = change(REFUSED);
    fail(first, new IOException("refused"));
    assertThat(pack.forget()).isFalse();
    fail(second, new IOException("refused"));
    assertThat(pack.forget()).isTrue();
  }

  @Test
  void no_change_lists_a_forgotten_pack() throws IOException {
    assertThat(pack.forget()).isTrue();
    SubmittedChange<String> late = change(NOTHING_ELSE);
    CommitBatch batch = batch(late);
    assertThat(ids(batch)).isEmpty();
    batch.deliver();
    assertThatThrownBy(late::get).isInstanceOf(UnlistedPack.LostException.class);
    assertThat(pack.wasProposed()).as("its files can be deleted").isFalse();
  }
}

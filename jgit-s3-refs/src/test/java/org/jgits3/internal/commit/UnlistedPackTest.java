// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.UnlistedPack.State;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of the packs of changes, however the changes meet in batches. */
class UnlistedPackTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final CommitPolicy POLICY = new CommitPolicy(Duration.ofSeconds(30));
  private static final ManifestChange<String> NOTHING_ELSE = base -> Proposal.edit(base, "listed");
  private static final ManifestChange<String> REFUSED = base -> Proposal.noEdit("refused");

  private ManifestFile file;
  private ListingRules rules;
  private Manifest base;
  private UnlistedPack pack;

  @BeforeEach
  void create_the_repository() throws IOException {
    ScriptedStore store = new ScriptedStore();
    Register.create(new RepositoryCatalog(store, POLICY), NAME);
    file = StoredManifest.file(store, NAME);
    rules = new ListingRules("r");
    base = file.read().orElseThrow().manifest();
    pack = new UnlistedPack(ManifestFixture.pack(ObjectNames.mint(base))) {};
  }

  private Submission<String> submission(ManifestChange<String> change) {
    return new Submission<>(change, List.of(pack), 1, 1);
  }

  private CommitBatch batch() {
    return new CommitBatch(file, base, rules, next -> next);
  }

  private static void fail(Submission<String> submission, IOException failure) {
    submission.fail(progress -> failure);
  }

  private static List<String> ids(CommitBatch.Sealed made) {
    return made.manifest().packs().stream().map(PackEntry::id).toList();
  }

  @Test
  void changes_of_one_batch_list_a_pack_once() throws IOException {
    Submission<String> first = submission(ManifestFixture.describing("first"));
    Submission<String> second = submission(ManifestFixture.describing("second"));
    CommitBatch batch = batch();
    assertThat(ids(batch.apply(List.of(first, second)))).containsExactly(pack.entry().id());
    assertThat(pack.state()).as("before the batch is decided").isEqualTo(State.HIDDEN);
    batch.deliver();
    assertThat(pack.state()).isEqualTo(State.LISTED);
    assertThat(List.of(first.get(), second.get())).containsExactly("first", "second");
  }

  @Test
  void refused_change_lists_no_pack_and_the_next_one_does() throws IOException {
    CommitBatch batch = batch();
    assertThat(ids(batch.apply(List.of(submission(REFUSED))))).isEmpty();
    assertThat(batch.edited()).isFalse();
    assertThat(ids(batch.apply(List.of(submission(REFUSED), submission(NOTHING_ELSE)))))
        .containsExactly(pack.entry().id());
  }

  @Test
  void pack_that_was_listed_and_replaced_is_not_listed_again() throws IOException {
    Submission<String> second = submission(NOTHING_ELSE); // waits while the first is written
    CommitBatch batch = batch();
    batch.apply(List.of(submission(ManifestFixture.describing("first"))));
    batch.deliver();
    CommitBatch later = batch(); // another process has replaced the pack
    assertThat(ids(later.apply(List.of(second)))).isEmpty();
    assertThat(later.edited()).isFalse();
  }

  @Test
  void pack_is_listed_by_another_change_after_one_was_not_written() throws IOException {
    Submission<String> overtaken = submission(NOTHING_ELSE);
    batch().apply(List.of(overtaken));
    fail(overtaken, new ManifestException.NotCommitted("others were faster"));
    assertThat(pack.state()).isEqualTo(State.HIDDEN);
    assertThat(ids(batch().apply(List.of(submission(NOTHING_ELSE)))))
        .containsExactly(pack.entry().id());
  }

  @Test
  void no_change_relies_on_a_pack_in_doubt_unless_it_is_listed() throws IOException {
    Submission<String> doubtful = submission(NOTHING_ELSE);
    batch().apply(List.of(doubtful));
    fail(doubtful, new UnknownOutcomeException("no answer", null));
    assertThat(pack.state()).isEqualTo(State.IN_DOUBT);
    assertThat(pack.forget()).isFalse();

    Submission<String> lost = submission(ManifestFixture.describing("lost"));
    CommitBatch without = batch();
    without.apply(List.of(lost));
    without.deliver();
    assertThatThrownBy(lost::get).isInstanceOf(UnlistedPack.LostException.class);
    assertThat(pack.state()).isEqualTo(State.IN_DOUBT);

    base = base.withPacks(List.of(pack.entry()));
    Submission<String> good = submission(ManifestFixture.describing("good"));
    CommitBatch with = batch();
    assertThat(ids(with.apply(List.of(good)))).containsExactly(pack.entry().id());
    with.deliver();
    assertThat(good.get()).isEqualTo("good");
    assertThat(pack.state()).isEqualTo(State.LISTED);
  }

  /** One of two changes in a write has less time. Its pack is listed if the write is applied. */
  @Test
  void doubt_of_one_change_ends_with_the_write_of_another() throws IOException {
    Submission<String> impatient = submission(ManifestFixture.describing("impatient"));
    Submission<String> patient = submission(ManifestFixture.describing("patient"));
    CommitBatch batch = batch();
    batch.apply(List.of(impatient, patient));
    fail(impatient, new UnknownOutcomeException("no answer", null));
    batch.deliver();
    assertThat(patient.get()).isEqualTo("patient");
    assertThat(pack.state()).isEqualTo(State.LISTED);
    assertThatThrownBy(impatient::get).isInstanceOf(UnknownOutcomeException.class);
  }

  @Test
  void pack_is_not_forgotten_while_a_change_with_it_is_undecided() {
    Submission<String> first = submission(REFUSED);
    Submission<String> second = submission(REFUSED);
    fail(first, new IOException("refused"));
    assertThat(pack.forget()).isFalse();
    fail(second, new IOException("refused"));
    assertThat(pack.forget()).isTrue();
  }

  @Test
  void no_change_lists_a_forgotten_pack() throws IOException {
    assertThat(pack.forget()).isTrue();
    Submission<String> late = submission(NOTHING_ELSE);
    CommitBatch batch = batch();
    assertThat(ids(batch.apply(List.of(late)))).isEmpty();
    batch.deliver();
    assertThatThrownBy(late::get).isInstanceOf(UnlistedPack.LostException.class);
    assertThat(pack.wasProposed()).as("its files can be deleted").isFalse();
  }
}

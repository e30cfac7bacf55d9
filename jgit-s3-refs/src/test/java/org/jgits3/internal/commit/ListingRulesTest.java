// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.TransactionLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Changes that no caller makes, and that would lose objects or a repository. */
class ListingRulesTest {
  private static final String ID = "0123456789abcdef".repeat(2);
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final long GENERATION = 7;
  private static final int REMEMBERED = 4096;

  private final ListingRules rules = new ListingRules("r");
  private final Manifest base = of(ID);

  private static Manifest of(String repositoryId) {
    RepositoryState active = new RepositoryState.Active(NAME);
    return Manifest.first(repositoryId, active, 1, RepositorySettings.NONE, ManifestFixture.HEAD)
        .committed(GENERATION, active, Collections.emptySortedMap(), 0);
  }

  /** Every write after a boundary of the future would be refused as stalled. */
  @Test
  void no_counter_is_of_a_generation_later_than_the_change_makes() throws IOException {
    Manifest highest = base.withSweepBoundary(GENERATION).withDropped(GENERATION + 1);
    assertThat(rules.check(base, base, highest)).isEqualTo(highest);
    refused(base, base.withSweepBoundary(GENERATION + 1), "future generation");
    refused(base, base.withDropped(GENERATION + 2), "future generation");
  }

  @Test
  void repository_keeps_its_id_and_within_an_epoch_its_state() throws IOException {
    for (Manifest next : List.of(base.fenced(2), base.named(NAME), base.deleted(1))) {
      assertThat(rules.check(base, base, next)).isEqualTo(next);
    }
    RepositoryState deleted = new RepositoryState.Deleted(1);
    for (Manifest next :
        List.of(
            of("ab".repeat(16)),
            base.fenced(0),
            base.committed(GENERATION, deleted, Collections.emptySortedMap(), 0))) {
      refused(base, next, "alters the repository id, or the state without the epoch");
    }
  }

  @Test
  void template_is_made_by_its_import_alone_and_at_its_generation() throws IOException {
    Manifest making = base.withTemplate(Optional.of(new Manifest.Template(ID, 0)));
    Manifest made = base.withTemplate(Optional.of(new Manifest.Template(ID, GENERATION)));
    assertThat(rules.check(making, making, made)).isEqualTo(made);
    refused(base, making, "alters the template");
    refused(base, made, "alters the template");
    refused(making, base, "alters the template");
    Manifest before = base.withTemplate(Optional.of(new Manifest.Template(ID, GENERATION - 1)));
    refused(making, before, "alters the template");
  }

  private void refused(Manifest before, Manifest next, String why) {
    assertThatThrownBy(() -> rules.check(before, before, next))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  /** A table of refs, a segment of the log and a large transaction are swept as packs are. */
  @ParameterizedTest
  @MethodSource("objects")
  void D14_object_of_any_kind_is_listed_once_and_not_after_a_sweep(UnaryOperator<Manifest> listing)
      throws IOException {
    Manifest next = listing.apply(base);
    assertThat(rules.check(base, base, next)).isEqualTo(next);
    assertThatThrownBy(
            () -> {
              Manifest swept = base.withSweepBoundary(GENERATION);
              rules.check(swept, swept, listing.apply(swept));
            })
        .isInstanceOf(ManifestException.Stalled.class)
        .hasMessageContaining("may be deleted already");
    rules.observe(next, base);
    assertThatThrownBy(() -> rules.check(base, base, next))
        .isInstanceOf(ManifestException.Stalled.class)
        .hasMessageContaining("was removed before");
  }

  static List<UnaryOperator<Manifest>> objects() {
    StoredObject object = new StoredObject(id(1), 1, 1);
    LogSegment segment = new LogSegment(object, 1, 2, 1, 1);
    LogEntry large = new LogEntry(1, 1, 0, "n", "e", "m", List.of(), Optional.of(object));
    RefSnapshot table = new RefSnapshot(id(1), 1, 1, 1, "ab".repeat(32));
    return List.of(
        m -> m.withPacks(List.of(ManifestFixture.pack(id(1)))),
        m -> m.withLog(new TransactionLog(List.of(segment), List.of())),
        m -> m.withLog(new TransactionLog(List.of(), List.of(large))),
        m -> m.withRefs(new Refs(List.of(table), m.refs().overlay(), m.refs().symrefs())));
  }

  private static String id(int number) {
    return String.format("%012x-%020x", GENERATION, number);
  }

  @Test
  void names_that_left_are_remembered_up_to_a_bound() throws IOException {
    for (int i = 0; i <= REMEMBERED; i++) {
      rules.observe(listing(i), base);
    }
    assertThatThrownBy(() -> rules.check(base, base, listing(1)))
        .isInstanceOf(ManifestException.Stalled.class)
        .hasMessageContaining("was removed before");
    assertThat(rules.check(base, base, listing(0))).as("forgotten").isEqualTo(listing(0));
  }

  private Manifest listing(int number) {
    return base.withPacks(List.of(ManifestFixture.pack(id(number))));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commits while the store cannot be read, in the time of the test. */
@Holds(
    "CommitLoop, Retries: A commit ends at its deadline though the store answers no read, and "
        + "fails no change with a later one")
class OutageDeadlineTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /** Time for which a store repeats a request whose caller has time. */
  private static final Duration OUTAGE = Duration.ofSeconds(60);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedStore store = new ScriptedStore();
  private ManifestCommitter committer;

  @BeforeEach
  void create_the_repository() throws IOException {
    Register.create(new RepositoryCatalog(store, DEADLINE), NAME);
    committer =
        new ManifestCommitter(
            StoredManifest.file(store, NAME), DEADLINE, time, new SplittableRandom(1));
  }

  /** Answers no read from now on, and repeats each as long as it may. */
  private void goAway() {
    store.everyGet(
        get -> {
          boolean patient = get.limit.compareTo(OUTAGE) > 0;
          time.sleep((patient ? OUTAGE : get.limit).toNanos());
          return ScriptedStore.UNREADABLE.answer(get);
        });
  }

  private void assertEndsAtDeadline(ManifestChange<Register.Report> change, Class<?> failure) {
    long start = time.nanoTime();
    assertThatThrownBy(() -> committer.commit(change))
        .isInstanceOf(failure)
        .hasMessageContaining("within 30000 ms, last answer: away");
    assertThat(Duration.ofNanos(time.nanoTime() - start)).isEqualTo(DEADLINE);
  }

  @Test
  void a_commit_that_finds_no_manifest_ends_at_its_deadline() {
    goAway();
    assertEndsAtDeadline(Register.set("W", "1"), ManifestException.NotCommitted.class);
  }

  @Test
  void a_refusal_that_a_read_has_to_confirm_ends_at_the_deadline() throws Exception {
    committer.validate();
    goAway();
    assertEndsAtDeadline(Register.cas("W", "7", "8"), ManifestException.NotCommitted.class);
  }

  @Test
  void a_defeat_that_a_read_has_to_explain_ends_at_the_deadline() throws Exception {
    committer.validate();
    store.refuseAfter(this::goAway);
    assertEndsAtDeadline(Register.set("W", "1"), UnknownOutcomeException.class);
  }

  @Test
  void a_commit_whose_reads_fail_for_a_while_goes_on_until_it_is_done() throws Exception {
    for (int i = 0; i < 5; i++) {
      store.nextGet(ScriptedStore.UNREADABLE);
    }
    assertThat(committer.commit(Register.set("W", "1"))).isEqualTo(Register.Report.OK);
  }
}

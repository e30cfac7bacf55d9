// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.stress.robust.PushesTogether.Outcomes;
import org.junit.jupiter.api.Test;

class FindingsTest {
  private static List<String> failures(Findings findings) {
    return findings.result("robust").rows().stream()
        .filter(Row::failed)
        .map(row -> row.name() + " " + row.missing())
        .toList();
  }

  @Test
  void what_misses_is_a_failure_beside_its_figure() {
    Findings findings = new Findings(true);
    findings.none("unknown", "s3", 2);
    findings.none("lost", "s3", 0);
    findings.atLeast("ratio", "s3", Unit.TIMES, 0.94, 0.95);
    findings.atMost("snapshots", "s3", Unit.COUNT, 10, 10);

    assertThat(failures(findings))
        .containsExactly("unknown: missed 2.00, asked 0.00", "ratio: missed 0.940, asked 0.950");
    assertThat(findings.result("robust").rows())
        .filteredOn(row -> row.name().equals("ratio"))
        .extracting(Row::engine)
        .containsExactly("s3", Findings.ASKED);
  }

  @Test
  void of_small_sizes_rates_are_not_judged_and_what_must_not_happen_is() {
    Findings findings = new Findings(false);
    findings.none("unknown", "s3", 2);
    findings.atLeast("ratio", "s3", Unit.TIMES, 0.1, 0.95);

    assertThat(failures(findings)).containsExactly("unknown: missed 2.00, asked 0.00");
  }

  @Test
  void an_answer_that_says_busy_is_honest_and_a_reset_is_not() {
    Outcomes outcomes =
        Outcomes.of(
            List.of(
                new GitClient.Ended(OptionalInt.of(0), "", ""),
                new GitClient.Ended(
                    OptionalInt.of(128),
                    "",
                    "error: RPC failed; The requested URL returned error: 503"),
                new GitClient.Ended(OptionalInt.of(1), "", "remote: the server is busy: no memory"),
                new GitClient.Ended(OptionalInt.empty(), "", ""),
                new GitClient.Ended(OptionalInt.of(128), "", "curl 56 Recv failure")));

    assertThat(outcomes).isEqualTo(new Outcomes(1, 2, 1, List.of("curl 56 Recv failure")));
    assertThat(outcomes.bad()).isEqualTo(2);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import org.jgits3.bench.git.GitClient;
import org.jgits3.stress.torture.Clerk.Outcome;
import org.junit.jupiter.api.Test;

class PushesTest {
  private static Outcome outcome(OptionalInt exitCode, String printed) {
    return Pushes.outcome(new GitClient.Ended(exitCode, printed, "fatal: the rest"));
  }

  @Test
  void push_is_refused_only_if_the_server_said_so_of_a_ref() {
    OptionalInt failed = OptionalInt.of(1);

    assertThat(outcome(OptionalInt.of(0), "")).isEqualTo(Outcome.OK);
    assertThat(outcome(failed, "To u\n!\ta:b\t[remote rejected] (failed to lock)"))
        .isEqualTo(Outcome.REFUSED);
    assertThat(outcome(failed, "To u\n!\ta:b\t[rejected] (stale info)")).isEqualTo(Outcome.REFUSED);
  }

  @Test
  void push_without_an_answer_is_unknown() {
    OptionalInt failed = OptionalInt.of(1);

    assertThat(outcome(failed, "")).isEqualTo(Outcome.UNKNOWN);
    assertThat(outcome(OptionalInt.empty(), "")).isEqualTo(Outcome.UNKNOWN);
    assertThat(outcome(failed, "To u\n!\ta:b\t[remote failure] (remote failed to report status)"))
        .isEqualTo(Outcome.UNKNOWN);
    assertThat(
            outcome(
                failed,
                "!\ta:b\t[remote rejected] (outcome unknown; fetch before retrying)\n"
                    + "!\tc:d\t[remote rejected] (outcome unknown; fetch before retrying)"))
        .isEqualTo(Outcome.UNKNOWN);
  }
}

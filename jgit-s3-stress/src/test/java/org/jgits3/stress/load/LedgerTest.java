// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.jgits3.stress.load.Ledger.Branch;
import org.junit.jupiter.api.Test;

class LedgerTest {
  private static final Branch BRANCH = new Branch("r", "b");

  private final Ledger ledger = new Ledger();

  @Test
  void branch_has_the_last_commit_that_was_acknowledged() {
    assertThat(ledger.explains(BRANCH, Optional.empty())).isTrue();
    ledger.begins(BRANCH, "1");
    ledger.acknowledged(BRANCH, "1");
    ledger.begins(BRANCH, "2");
    ledger.acknowledged(BRANCH, "2");

    assertThat(ledger.explains(BRANCH, Optional.of("2"))).isTrue();
    assertThat(ledger.explains(BRANCH, Optional.of("1"))).isFalse();
    assertThat(ledger.explains(BRANCH, Optional.empty())).isFalse();
    assertThat(ledger.acknowledged(BRANCH)).containsExactly("1", "2");
    assertThat(ledger.underWay()).isZero();
  }

  @Test
  void push_without_an_answer_may_have_been_done_or_not() {
    ledger.begins(BRANCH, "1");
    ledger.acknowledged(BRANCH, "1");
    ledger.begins(BRANCH, "2");

    assertThat(ledger.explains(BRANCH, Optional.of("1"))).isTrue();
    assertThat(ledger.explains(BRANCH, Optional.of("2"))).isTrue();
    assertThat(ledger.explains(BRANCH, Optional.of("3"))).isFalse();
    assertThat(ledger.explains(BRANCH, Optional.empty())).isFalse();
    assertThat(ledger.underWay()).isEqualTo(1);
  }
}

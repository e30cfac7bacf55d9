// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jgits3.internal.pack.IndexBudget.OpenPacks;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

class IndexBudgetTest {
  private final IndexBudget budget = new IndexBudget(1000);

  @Holds(
      "IndexBudget: Forks share the open packs of their template, which are known while used, and "
          + "count once in the limit of indexes")
  @Test
  void templates_that_no_fork_uses_are_forgotten() {
    OpenPacks used = budget.ofTemplate("used");
    budget.hold(budget.ofTemplate("counted"), "pack", 10, 1);
    List<OpenPacks> forks = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      forks.add(budget.ofTemplate("t" + i));
    }
    assertThat(budget.templates()).isEqualTo(2 + forks.size());
    forks.clear();
    for (int i = 0; i < 200 && budget.templates() >= 1000; i++) {
      System.gc();
      assertThat(budget.ofTemplate("later" + i)).isNotNull();
    }
    assertThat(budget.templates()).isLessThan(1000);
    assertThat(budget.ofTemplate("used")).isSameAs(used);
    budget.release(budget.ofTemplate("counted"), "pack");
    assertThat(budget.held()).isZero();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.served;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.git.GitEngine;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.junit.jupiter.api.Test;

class ServedRefsTest {
  private final List<Row> rows = new ArrayList<>();

  private void add(String name, GitEngine engine, double nanos) {
    rows.add(Row.of(name, engine.id(), Unit.NANOSECONDS, Figure.of(nanos, nanos)));
  }

  @Test
  void pushes_are_compared_with_few_refs_and_with_c_git_at_both_ends() {
    add(ServedCase.PUSH_SMALL.server(), GitEngine.DIRECTORY, 10);
    add(ServedCase.PUSH_HIDDEN.server(), GitEngine.DIRECTORY, 12);
    add(ServedCase.PUSH_ALL.server(), GitEngine.DIRECTORY, 30);
    add(ServedCase.PUSH_ALL.server(), GitEngine.C_GIT, 900);
    add(ServedCase.PUSH_ALL.both(), GitEngine.DIRECTORY, 100);
    add(ServedCase.PUSH_ALL.both(), GitEngine.C_GIT, 250);
    add(ServedCase.LS_REMOTE.both(), GitEngine.DIRECTORY, 50);
    add(ServedCase.LS_REMOTE.both(), GitEngine.C_GIT, 75);

    Map<String, Optional<Estimate>> figures = ServedRefs.figures(500_000, rows);

    assertThat(figures.keySet())
        .containsExactly(
            "push_500k_vs_10", "push_500k_vs_10_all", "push_500k_vs_cgit", "lsremote_500k_vs_cgit");
    assertThat(figures.values().stream().map(figure -> figure.orElseThrow().value()))
        .containsExactly(1.2, 3.0, 2.5, 1.5);
  }

  @Test
  void keys_follow_the_number_of_refs() {
    assertThat(ServedRefs.keys(4_000_000)).contains("push_4m_vs_10", "lsremote_4m_vs_cgit");
    assertThat(ServedRefs.keys(1_234)).contains("push_1234_vs_10");
    assertThat(ServedRefs.figures(4_000_000, List.of()).values()).allMatch(Optional::isEmpty);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetedOperationTest {
  /** Ranges of the pack that the documented clone reads. */
  private static final int RANGES = 11;

  private static final Path PAGE =
      Path.of(System.getProperty("project.root", ".."), "src/site/markdown/roundtrips.md");

  @Test
  void measured_operations_and_their_budgets_are_those_of_the_page() throws IOException {
    List<String> budgets = new ArrayList<>();
    List<String> page = Files.readAllLines(PAGE);
    for (String line : page.subList(page.indexOf("## As measured"), page.size())) {
      String[] cells = line.split(" *\\| *", -1);
      if (cells.length == 5 && cells[2].matches("\\d+")) {
        budgets.add(cells[1] + ": " + cells[2]);
      }
    }
    assertThat(budgets)
        .containsExactlyElementsOf(
            Arrays.stream(BudgetedOperation.values())
                .map(each -> each.title() + ": " + budget(each))
                .toList());
  }

  private static int budget(BudgetedOperation operation) {
    return operation.budget() + (operation == BudgetedOperation.COLD_CLONE ? RANGES : 0);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--minutes 0 | --minutes 0 is less than 1",
        "--clients 14 | --clients 14 is less than 15",
        "--heap 256 | --heap 256 is no size, as 256m",
        "--quick --smallest | --smallest and --quick exclude each other",
        "--endpoint elsewhere | --endpoint elsewhere is no URL of a server",
        "--json nowhere/out.json | --json nowhere/out.json cannot be written",
        "refs | Unmatched argument",
      })
  void wrong_usage_is_one_line_and_exit_code_2(String line, String message) {
    TortureCommandTest.assertWrongUsage(LoadCommand.commandLine(), line, message);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class TortureCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--minutes 0 | --minutes 0 is less than 1",
        "--minutes many | is not an int",
        "--seed x | is not a long",
        "--endpoint elsewhere | --endpoint elsewhere is no URL of a server",
        "--json nowhere/out.json | --json nowhere/out.json cannot be written",
        "--simulate --seeds 0 | --seeds 0 is not from 1 to 1000000000",
        "--simulate --seed 0 | --seed 0 is not from 1 to 2147483647",
        "--simulate --json out.json | --simulate takes --seeds and --seed only",
        "refs | Unmatched argument",
      })
  void wrong_usage_is_one_line_and_exit_code_2(String line, String message) {
    assertWrongUsage(TortureCommand.commandLine(), line, message);
  }

  static void assertWrongUsage(CommandLine command, String line, String message) {
    StringWriter err = new StringWriter();
    command.setErr(new PrintWriter(err));

    int code = command.execute(line.split(" "));

    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).startsWith("jgit-s3-stress: ").contains(message);
    assertThat(err.toString().strip().lines()).hasSize(1);
  }
}

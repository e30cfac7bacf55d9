// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense | no suite 'nonsense'",
        "'' | no suite ''",
        "refs --refs 999 | --refs 999 is not from 1000 to 2000000",
        "refs --refs 2000001 | --refs 2000001 is not from 1000 to 2000000",
        "refs --refs many | --refs",
        "refs --json nowhere/out.json | --json nowhere/out.json cannot be written",
        "refs --slow | --slow",
        "--quick | SUITE",
      })
  void wrong_usage_is_one_line_and_exit_code_2(String line, String message) {
    CommandLine command = BenchCommand.commandLine();
    StringWriter err = new StringWriter();
    command.setErr(new PrintWriter(err));

    int code = command.execute(line.split(" "));

    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).startsWith("jgit-s3-bench: ").contains(message);
    assertThat(err.toString().strip().lines()).hasSize(1);
  }
}

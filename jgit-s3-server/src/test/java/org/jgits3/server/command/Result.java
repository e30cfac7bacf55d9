// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import picocli.CommandLine;

/** Result of a command in this JVM. */
record Result(int exitCode, String out, String err) {
  static Result of(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = JgitS3.commandLine(args);
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int exitCode = line.execute(args);
    return new Result(exitCode, out.toString(), err.toString());
  }

  Result failsWith(int code, String... words) {
    assertThat(exitCode).as(err).isEqualTo(code);
    assertThat(err).startsWith("jgit-s3: ").hasLineCount(1);
    Stream.of(words).forEach(word -> assertThat(err).contains(word));
    assertThat(out).isEmpty();
    return this;
  }

  Result succeeds() {
    assertThat(err).isEmpty();
    assertThat(exitCode).isZero();
    return this;
  }

  JsonNode json() throws IOException {
    return new ObjectMapper().readTree(succeeds().out());
  }

  /** All that it printed, whether it succeeded or not. */
  String said() {
    return out + err;
  }

  /** Checks the exit code, and that words are among all that it printed. */
  AbstractStringAssert<?> exits(int code, String... words) {
    assertThat(exitCode).as(said()).isEqualTo(code);
    Stream.of(words).forEach(word -> assertThat(said()).contains(word));
    return assertThat(said());
  }
}

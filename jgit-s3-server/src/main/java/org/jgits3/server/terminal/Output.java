// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Standard output of a command: lines for people, or with {@code --json} one JSON value for
 * scripts. Ignores what is meant for the other form.
 */
public final class Output {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /** Tests whether the command prints JSON and nothing else. */
  public boolean json() {
    return json;
  }

  /** Prints a result: a line for people, or a value as JSON. */
  public void result(Object value, String line) {
    value(value);
    line(line);
  }

  /** Prints a line for people, without characters that could control a terminal. */
  public void line(String text) {
    if (!json) {
      print(LogLine.printable(text));
    }
  }

  private void print(String text) {
    writer().println(text);
    writer().flush();
  }

  /** Prints a value as JSON, in a stream: an {@link Iterable} may be larger than memory. */
  public void value(Object value) {
    if (!json) {
      return;
    }
    // Created here, because few commands print JSON, and it loads some 400 classes.
    ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    mapper.getFactory().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    mapper.getFactory().setCharacterEscapes(new JsonEscapes());
    try {
      mapper.writeValue(writer(), value);
    } catch (IOException e) { // a PrintWriter throws none
      throw new IllegalStateException("values printed are plain records and maps", e);
    }
    print("");
  }

  private PrintWriter writer() {
    return command.commandLine().getOut();
  }
}

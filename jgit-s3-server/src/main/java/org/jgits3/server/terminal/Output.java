// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintWriter;
import org.eclipse.jgit.annotations.Nullable;
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
    try {
      mapper().writeValue(writer(), value);
    } catch (IOException e) { // a PrintWriter throws none
      throw new IllegalStateException("values printed are plain records and maps", e);
    }
    print("");
  }

  /** Created where it is needed, because few commands print JSON, and it loads some 400 classes. */
  private static ObjectMapper mapper() {
    ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    mapper.getFactory().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    mapper.getFactory().setCharacterEscapes(new JsonEscapes());
    return mapper;
  }

  /**
   * Begins a list that is printed while it is made: a line for each element, or a JSON array.
   *
   * @return the list, to be closed
   */
  public Elements elements() {
    return new Elements();
  }

  /** Ends a command whose output cannot be written any more. */
  public static final class NotWrittenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private NotWrittenException() {
      super("standard output cannot be written");
    }
  }

  /** A list under way. */
  public final class Elements implements AutoCloseable {
    @Nullable private final SequenceWriter array;

    private Elements() {
      try {
        array = json ? mapper().writer().writeValuesAsArray(writer()) : null;
      } catch (IOException e) { // a PrintWriter throws none
        throw new IllegalStateException("a JSON array cannot be begun", e);
      }
    }

    /**
     * Prints an element.
     *
     * @throws NotWrittenException if an earlier one was not printed, so that the rest of the list
     *     need not be made
     */
    public void add(String element) {
      if (writer().checkError()) {
        throw new NotWrittenException();
      }
      if (array == null) {
        line(element);
        return;
      }
      try {
        array.write(element);
      } catch (IOException e) { // a PrintWriter throws none
        throw new IllegalStateException("a text cannot be printed", e);
      }
    }

    @Override
    public void close() {
      if (array != null) {
        try {
          array.close();
        } catch (IOException e) { // a PrintWriter throws none
          throw new IllegalStateException("a JSON array cannot be ended", e);
        }
        print("");
      }
    }
  }

  private PrintWriter writer() {
    return command.commandLine().getOut();
  }
}

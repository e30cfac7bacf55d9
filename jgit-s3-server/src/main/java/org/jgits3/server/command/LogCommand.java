// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.PersonIdent;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.history.LogPosition;
import org.jgits3.history.Transaction;
import org.jgits3.history.TransactionHistory;
import org.jgits3.history.Transactions;
import org.jgits3.manifest.RefChange;
import org.jgits3.server.program.RepositoryCommand;
import org.jgits3.server.terminal.JsonEscapes;
import org.jgits3.server.terminal.LogLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the transactions of a repository, and waits for new ones. */
@Command(
    name = "log",
    sortOptions = false,
    description = "Show the transactions that changed refs, oldest first.")
final class LogCommand extends RepositoryCommand {
  /**
   * Holder of the JSON writer, loaded on first use, because every command line creates this
   * command.
   */
  private static final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();
  }

  /** Interval between reads of the manifest, one request each. */
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** Maximum time that the end of the process waits for a line to be completed. */
  private static final Duration LAST_LINE = Duration.ofSeconds(5);

  @Option(
      names = "--since",
      paramLabel = "GENERATION",
      description = "Only what was committed after this generation.")
  private long since;

  @Option(
      names = "--follow",
      description = "Go on with what is committed from now on, until SIGINT or SIGTERM.")
  private boolean follow;

  private final CountDownLatch stopped = new CountDownLatch(1);

  @Override
  public Integer call() throws IOException, InterruptedException {
    program.end().atSignal(this::stop);
    try (S3RepositoryManager manager = program.openToRead();
        S3Repository repository = manager.openRepository(name.value())) {
      print(repository.history());
    }
    return 0;
  }

  /** Stops after the line that is being printed. */
  private void stop() {
    stopped.countDown();
    if (!program.end().await(LAST_LINE)) {
      out().flush();
    }
  }

  private void print(TransactionHistory history) throws IOException, InterruptedException {
    LogPosition read = print(history.since(since));
    while (follow && !over()) {
      if (!stopped.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
        read = print(history.since(read));
      }
    }
  }

  private LogPosition print(Transactions transactions) throws IOException {
    for (var next = transactions.next(); next.isPresent(); next = transactions.next()) {
      if (output.json()) {
        printJson(next.get());
      } else {
        printText(next.get());
      }
      if (over()) {
        break;
      }
    }
    return transactions.end();
  }

  /** Tests whether to stop: a signal came, or the reader of the output is gone. */
  private boolean over() {
    return stopped.getCount() == 0 || out().checkError();
  }

  private void printText(Transaction t) throws IOException {
    PersonIdent who = t.who();
    out()
        .println(
            LogLine.printable(
                t.generation()
                    + " "
                    + LogLine.time(who)
                    + " "
                    + who.getName()
                    + " <"
                    + who.getEmailAddress()
                    + "> "
                    + t.message()));
    t.forEachChange(c -> out().println("  " + LogLine.of(c)));
  }

  /** Prints an object in one line, without holding a large one in memory. */
  private void printJson(Transaction t) throws IOException {
    JsonGenerator json = Json.MAPPER.getFactory().createGenerator(out());
    json.setCharacterEscapes(new JsonEscapes());
    json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    json.disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM);
    json.writeStartObject();
    json.writeNumberField("generation", t.generation());
    json.writeStringField("time", LogLine.time(t.who()));
    json.writeStringField("name", t.who().getName());
    json.writeStringField("email", t.who().getEmailAddress());
    json.writeStringField("message", t.message());
    json.writeArrayFieldStart("changes");
    try {
      t.forEachChange(c -> write(json, c));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    json.writeEndArray();
    json.writeEndObject();
    json.close();
    out().println();
  }

  private static void write(JsonGenerator json, RefChange c) {
    try {
      json.writePOJO(LogLine.Row.of(c));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jgits3.S3RepositoryManager;
import org.jgits3.history.RepositoryChange;
import org.jgits3.history.RepositoryChange.Kind;
import org.jgits3.history.StoreChanges;
import org.jgits3.history.StoreCursor;
import org.jgits3.history.StoreHistory;
import org.jgits3.history.Transactions;
import org.jgits3.server.events.CursorFile;
import org.jgits3.server.events.Event;
import org.jgits3.server.events.Webhook;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.terminal.JsonEscapes;
import org.jgits3.server.terminal.LogLine;
import org.jgits3.store.StoreException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what happens in all repositories, or posts it to a webhook. */
@Command(
    name = "events",
    sortOptions = false,
    description = {
      "Show the changes of refs in all repositories since a cursor: each at least once, those of a"
          + " repository in their order."
    })
final class EventsCommand extends StoreCommand {
  /** Interval between polls, each of which lists the store. */
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  /** Attempts to post an event without {@code --follow}; about half a minute. */
  private static final int ATTEMPTS = 7;

  /** Maximum time that the end of the process waits for the cursor to be saved. */
  private static final Duration LAST_CURSOR = Duration.ofSeconds(15);

  private static final String START = "start";
  private static final String NOW = "now";

  @Option(
      names = "--follow",
      description = "Go on with what is committed from now on, until SIGINT or SIGTERM.")
  private boolean follow;

  @Option(
      names = "--since",
      paramLabel = "CURSOR",
      description =
          "Begin after this cursor, as printed at the end of a run; 'start' for everything. Default:"
              + " the cursor of --cursor, else 'now'.")
  private String since;

  @Option(
      names = "--cursor",
      paramLabel = "FILE",
      description = "Keep the cursor in this file, and print none at the end.")
  private Path cursorFile;

  @Option(
      names = "--webhook",
      paramLabel = "URL",
      description = "Post each event as JSON to this URL, and print none.")
  private URI webhook;

  @Option(
      names = "--secret",
      paramLabel = "FILE",
      description = "File whose content signs what is posted (HMAC-SHA256), for --webhook.")
  private Path secret;

  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final ObjectMapper mapper = new ObjectMapper();

  /**
   * Last complaint about each repository, or about the webhook, so that a repeated one is printed
   * once.
   */
  private final Map<String, String> complaints = new HashMap<>();

  private Optional<Webhook> receiver = Optional.empty();
  private StoreCursor read;
  private Optional<IOException> failure = Optional.empty();

  /** Ends the delivery of a change that cannot be completed now. */
  private static final class NotDelivered extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotDelivered(String message) {
      super(message, null, false, false);
    }
  }

  @Override
  public Integer call() throws IOException {
    mapper.getFactory().setCharacterEscapes(new JsonEscapes());
    receiver = receiver();
    try (S3RepositoryManager manager = program.openToRead()) {
      program.end().atSignal(() -> stop(manager));
      StoreHistory history = manager.storeHistory();
      read = first(history);
      try {
        run(history);
      } finally {
        printCursor();
      }
    }
    if (failure.isPresent() && !stopped.isDone()) {
      throw failure.get();
    }
    return 0;
  }

  /** Stops after the event that is being delivered, and waits until the cursor is saved. */
  private void stop(S3RepositoryManager manager) {
    stopped.complete(null);
    manager.store().endRetries();
    if (!program.end().await(LAST_CURSOR)) {
      out().flush();
    }
  }

  private Optional<Webhook> receiver() {
    if (webhook == null && secret == null) {
      return Optional.empty();
    }
    if (webhook == null || secret == null) {
      throw usage("--webhook and --secret belong together: what is posted is signed");
    }
    if (webhook.getHost() == null || !String.valueOf(webhook.getScheme()).matches("https?")) {
      throw usage("--webhook: not a URL of http or https");
    }
    return Optional.of(new Webhook(webhook, key(), stopped));
  }

  private byte[] key() {
    try {
      byte[] key = Files.readString(secret).strip().getBytes(UTF_8);
      if (key.length > 0) {
        return key;
      }
    } catch (IOException e) {
      throw usage("--secret " + secret + ": the file cannot be read");
    }
    throw usage("--secret " + secret + ": the file is empty");
  }

  private StoreCursor first(StoreHistory history) throws IOException {
    if (since == null && cursorFile != null) {
      Optional<StoreCursor> kept = new CursorFile(cursorFile).read();
      if (kept.isPresent()) {
        return kept.get();
      }
    }
    StoreCursor first = since == null || since.equals(NOW) ? history.now() : parsed(history);
    save(first);
    return first;
  }

  private StoreCursor parsed(StoreHistory history) throws IOException {
    if (since.equals(START)) {
      return history.start();
    }
    try {
      return StoreCursor.parse(Base64.getUrlDecoder().decode(since));
    } catch (IllegalArgumentException e) {
      throw usage("--since: neither 'start', 'now' nor a cursor that was printed");
    }
  }

  private void save(StoreCursor cursor) throws IOException {
    if (cursorFile != null) {
      new CursorFile(cursorFile).write(cursor);
    }
  }

  /** Polls until nothing is left, or until the process is told to stop. */
  private void run(StoreHistory history) throws IOException {
    boolean more = true;
    while (more) {
      boolean rest = poll(history);
      more = follow ? rest || !pauses(INTERVAL) : rest && failure.isEmpty();
      more = more && !stopped.isDone();
    }
  }

  /** Delivers new events, and saves the cursor after them; returns whether there are more. */
  private boolean poll(StoreHistory history) throws IOException {
    StoreChanges changes;
    try {
      changes = history.since(read);
    } catch (StoreException.Unavailable e) {
      fail("store", e);
      return false;
    }
    deliver(changes);
    StoreCursor end = changes.end();
    if (!end.equals(read)) {
      save(end);
      read = end;
    }
    return changes.hasMore();
  }

  private void deliver(StoreChanges changes) {
    try {
      var next = changes.next();
      complaints.remove("store");
      while (next.isPresent()) {
        if (!delivered(next.get()) && receiver.isPresent()) {
          return; // the next events would be refused, too
        }
        next = stopped.isDone() ? Optional.empty() : changes.next();
      }
    } catch (IOException e) {
      fail("store", e);
    }
  }

  private boolean delivered(RepositoryChange change) {
    try {
      deliver(change);
      complaints.remove(change.name());
      return true;
    } catch (NotDelivered e) {
      change.leave();
      if (!stopped.isDone()) {
        fail("receiver", new IOException(e.getMessage()));
      }
      return false;
    } catch (IOException e) {
      change.leave(); // delivered later, once it can be read
      fail(change.name(), e);
      return true;
    }
  }

  private void deliver(RepositoryChange change) throws IOException {
    Transactions transactions = change.transactions();
    if (change.kind() != Kind.CHANGED) {
      deliver(Event.of(change));
    }
    for (var next = transactions.next(); next.isPresent(); next = transactions.next()) {
      Event.Of transaction = Event.Of.transaction(next.get());
      next.get().forEachChange(c -> deliver(Event.of(change, transaction, c)));
    }
  }

  private void deliver(Event event) {
    if (receiver.isPresent()) {
      post(receiver.get(), json(event));
      return;
    }
    out().println(output.json() ? json(event) : LogLine.printable(event.text()));
    if (out().checkError()) {
      stopped.complete(null); // the reader of the output is gone
    }
    if (stopped.isDone()) {
      throw new NotDelivered("stopped");
    }
  }

  private String json(Object value) {
    try {
      return mapper.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("events are plain records", e);
    }
  }

  /** Posts a body until the receiver accepts it, with growing pauses. */
  private void post(Webhook to, String json) {
    Duration pause = FIRST_PAUSE;
    for (int attempt = 1; ; attempt++) {
      try {
        to.post(json.getBytes(UTF_8));
        complaints.remove("receiver");
        return;
      } catch (IOException e) {
        if (stopped.isDone() || (!follow && attempt == ATTEMPTS)) {
          throw new NotDelivered(to + ": " + e.getMessage() + "; nothing after it was delivered");
        }
        complain("receiver", to + ": " + e.getMessage() + "; trying again");
      }
      if (pauses(pause)) {
        throw new NotDelivered("stopped");
      }
      pause =
          pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0
              ? pause.multipliedBy(2)
              : LONGEST_PAUSE;
    }
  }

  /**
   * Keeps the first failure, with which the command ends. With {@code --follow}, and for further
   * failures, only prints the failure.
   */
  private void fail(String about, IOException why) {
    if (follow || failure.isPresent()) {
      complain(about, why.getMessage());
    } else {
      failure = Optional.of(why);
    }
  }

  private void complain(String about, String message) {
    if (!message.equals(complaints.put(about, message))) {
      err().println("jgit-s3: " + LogLine.printable(message));
      err().flush();
    }
  }

  private void printCursor() {
    if (cursorFile != null) {
      return;
    }
    String text = Base64.getUrlEncoder().withoutPadding().encodeToString(read.toBytes());
    out()
        .println(
            output.json() ? json(Map.of("event", "cursor", "cursor", text)) : "cursor " + text);
    out().flush();
  }

  /**
   * Waits, at most until the process is told to stop.
   *
   * @return true if the process was told to stop meanwhile
   */
  private boolean pauses(Duration time) {
    var over =
        new CompletableFuture<Void>()
            .completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS);
    CompletableFuture.anyOf(stopped, over).join();
    return stopped.isDone();
  }
}

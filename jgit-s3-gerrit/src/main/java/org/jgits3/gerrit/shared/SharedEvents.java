// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.flogger.FluentLogger;
import com.google.gerrit.entities.Change;
import com.google.gerrit.extensions.registration.DynamicItem;
import com.google.gerrit.server.events.ChangeDeletedEvent;
import com.google.gerrit.server.events.ChangeEvent;
import com.google.gerrit.server.events.Event;
import com.google.gerrit.server.events.EventDispatcher;
import com.google.gerrit.server.events.EventGson;
import com.google.gerrit.server.events.EventListener;
import com.google.gerrit.server.notedb.ChangeNotes;
import com.google.gerrit.server.permissions.PermissionBackendException;
import com.google.gerrit.server.util.ManualRequestContext;
import com.google.gerrit.server.util.OneOffRequestContext;
import com.google.gson.Gson;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;

/**
 * Events of all Gerrits on a store, so that {@code stream-events} of each node shows them all.
 *
 * <p>A node writes its events as objects below {@code gerrit-events/}, one object for each round,
 * and posts the events of the other nodes. The objects are kept for minutes only: events are for
 * programs that are listening, and a node that is down misses them. Used by the follower's thread,
 * except for {@link #onEvent}.
 */
@Singleton
public class SharedEvents implements EventListener {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  private static final String PREFIX = "gerrit-events/";

  /** Time of writing in milliseconds, node, and number of the object among those of the node. */
  private static final Pattern KEY =
      Pattern.compile(PREFIX + "([0-9]{13})-([0-9a-f]{16})-([0-9]{1,18})");

  private static final Duration KEPT = Duration.ofMinutes(5);

  /** Maximum number of events that wait for the store, or for the end of a round. */
  private static final int WAITING = 10_000;

  private final S3GitRepositoryManager repositories;
  private final OneOffRequestContext context;
  private final DynamicItem<EventDispatcher> dispatcher;
  private final ChangeNotes.Factory notes;
  private final Gson gson;
  private final String node = String.format("%016x", ThreadLocalRandom.current().nextLong());
  private final Queue<Event> own = new ArrayDeque<>(); // guarded by this
  private final Queue<String> others = new ArrayDeque<>();
  private final Map<String, Long> read = new HashMap<>();
  private boolean listening;
  private String unwritten = "";
  private long written;

  /** Thread that is posting events of other nodes; {@link #onEvent} receives these, too. */
  private volatile Thread posting;

  @Inject
  public SharedEvents(
      S3GitRepositoryManager repositories,
      OneOffRequestContext context,
      DynamicItem<EventDispatcher> dispatcher,
      ChangeNotes.Factory notes,
      @EventGson Gson gson) {
    this.repositories = repositories;
    this.context = context;
    this.dispatcher = dispatcher;
    this.notes = notes;
    this.gson = gson;
  }

  @Override
  public void onEvent(Event event) {
    if (Thread.currentThread() != posting) {
      add(own, event);
    }
  }

  private synchronized <T> void add(Queue<T> queue, T event) {
    if (queue.size() == WAITING) {
      queue.remove();
      LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).log(
          "Following: more than %s events wait, the oldest are dropped", WAITING);
    }
    queue.add(event);
  }

  /**
   * Writes the events of this node, and reads those of the others. The changes that they announce
   * are in the store, so a round that begins now follows these changes.
   *
   * @throws IOException if the store does not answer; nothing is lost
   */
  public void exchange() throws IOException {
    exchange(repositories.store());
  }

  void exchange(ObjectStore store) throws IOException {
    write(store);
    List<String> keys = new ArrayList<>();
    store.list(PREFIX, object -> keys.add(object.key()));
    List<String> expired = new ArrayList<>();
    long kept = System.currentTimeMillis() - KEPT.toMillis();
    for (String key : keys.stream().sorted().toList()) {
      Matcher parts = KEY.matcher(key);
      if (parts.matches()) {
        if (Long.parseLong(parts.group(1)) < kept) {
          expired.add(key);
        }
        read(store, key, parts.group(2), Long.parseLong(parts.group(3)));
      }
    }
    listening = true;
    if (!expired.isEmpty()) {
      store.delete(expired);
    }
  }

  private void write(ObjectStore store) throws IOException {
    if (unwritten.isEmpty()) {
      unwritten = lines(takeOwn());
    }
    if (!unwritten.isEmpty()) {
      byte[] lines = unwritten.getBytes(UTF_8);
      long number = written + 1; // again after an unknown outcome: others read each number once
      String key = "%s%013d-%s-%d".formatted(PREFIX, System.currentTimeMillis(), node, number);
      store.put(key, lines, 0, lines.length);
      written = number;
      unwritten = "";
    }
  }

  private synchronized List<Event> takeOwn() {
    List<Event> taken = List.copyOf(own);
    own.clear();
    return taken;
  }

  @SuppressWarnings("try") // the context is that of the thread
  private String lines(Collection<Event> events) {
    StringBuilder lines = new StringBuilder();
    try (ManualRequestContext ignored = context.open()) {
      for (Event event : events) {
        try {
          lines.append(gson.toJson(event)).append('\n');
        } catch (RuntimeException e) { // event of a plugin, or of a deleted change
          LOG.atFine().withCause(e).log("Following: an event %s is not shared", event.type);
        }
      }
    }
    return lines.toString();
  }

  /** Reads an object once; skips it if it was written before this node listened. */
  private void read(ObjectStore store, String key, String from, long number) throws IOException {
    if (from.equals(node) || number <= read.getOrDefault(from, 0L)) {
      return;
    }
    if (listening && store.get(key, Optional.empty()) instanceof GetResult.Found found) {
      new String(found.bytes(), UTF_8).lines().forEach(line -> add(others, line));
    }
    read.put(from, number);
  }

  /** Posts the events of other nodes that were read before the last round. */
  @SuppressWarnings("try") // the context is that of the thread
  public void post() {
    if (others.isEmpty()) {
      return;
    }
    posting = Thread.currentThread();
    try (ManualRequestContext ignored = context.open()) {
      for (String line = others.poll(); line != null; line = others.poll()) {
        post(line);
      }
    } finally {
      posting = null;
    }
  }

  private void post(String line) {
    try {
      Event event = gson.fromJson(line, Event.class);
      if (event instanceof ChangeDeletedEvent ofDeleted && !isPrivate(ofDeleted)) {
        dispatcher.get().postEvent(ofDeleted.getBranchNameKey(), ofDeleted);
      } else if (event instanceof ChangeEvent ofChange) {
        dispatcher.get().postEvent(change(ofChange), ofChange);
      } else {
        dispatcher.get().postEvent(event);
      }
    } catch (RuntimeException | PermissionBackendException e) { // from a plugin missing here
      LOG.atFine().withCause(e).log("Following: an event is not posted: %s", line);
    }
  }

  /**
   * Tests whether a change was private when it was deleted. If not, its readers were those of its
   * branch; else they are no longer known.
   */
  private static boolean isPrivate(ChangeDeletedEvent event) {
    return Boolean.TRUE.equals(event.change.get().isPrivate);
  }

  /**
   * Reads the change of an event, so that only its readers get the event. From the event alone,
   * Gerrit would send it to all readers of the branch, but a change may be private.
   */
  private Change change(ChangeEvent event) {
    Change.Id id = Change.id(event.change.get().number);
    return notes.createChecked(event.project, id).getChange();
  }
}

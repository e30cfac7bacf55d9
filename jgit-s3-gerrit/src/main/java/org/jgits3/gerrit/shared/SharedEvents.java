// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.flogger.FluentLogger;
import com.google.gerrit.common.Nullable;
import com.google.gerrit.entities.Change;
import com.google.gerrit.server.events.ChangeDeletedEvent;
import com.google.gerrit.server.events.ChangeEvent;
import com.google.gerrit.server.events.Event;
import com.google.gerrit.server.events.EventGson;
import com.google.gerrit.server.events.EventListener;
import com.google.gerrit.server.events.ProjectEvent;
import com.google.gerrit.server.notedb.ChangeNotes;
import com.google.gerrit.server.permissions.PermissionBackendException;
import com.google.gerrit.server.util.ManualRequestContext;
import com.google.gerrit.server.util.OneOffRequestContext;
import com.google.gson.Gson;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;

/**
 * Events of all Gerrits on a store, so that {@code stream-events} of each node shows them all.
 *
 * <p>A node writes its events as objects below {@code gerrit-events/}, one object for each round,
 * and posts the events of the other nodes to {@link StreamedEvents}. The objects are kept for
 * minutes only: events are for programs that are listening, and a node that is down misses them.
 *
 * <p>No time of day is used. Each object has a number, higher than those of all objects that its
 * node has listed or written before, and objects are read by their numbers. So the events of a node
 * keep their order, and an event comes after those that were written before it happened. A node
 * deletes an object {@link #KEPT} after it has listed the object for the first time.
 *
 * <p>Objects have {@link #MAX_BYTES} at most; a node holds no more than that of events to be
 * written and of events to be posted, besides {@link #WAITING} of its own events. Used by the
 * follower's thread, except for {@link #onEvent} and {@link #post}.
 */
@Singleton
public class SharedEvents implements EventListener {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  private static final String PREFIX = "gerrit-events/";

  /** Number of the object, and the node that wrote it. */
  private static final Pattern KEY = Pattern.compile(PREFIX + "([0-9]{18})-([0-9a-f]{16})");

  /** Time for which a node may be unable to list objects and miss none. */
  static final Duration KEPT = Duration.ofMinutes(5);

  /** Maximum size of an object. An event that needs more is not shared. */
  static final int MAX_BYTES = 8 << 20;

  /** Maximum number of events of this node that wait for the store. */
  private static final int WAITING = 20_000;

  /** Maximum number of those of one project: a push of many refs drops no events of others. */
  static final int OF_PROJECT = WAITING / 2;

  /**
   * Time between two rounds after which no more events are written or posted: following goes on.
   */
  static final Duration TURN = Duration.ofSeconds(1);

  private final S3GitRepositoryManager repositories;
  private final OneOffRequestContext context;
  private final StreamedEvents streamed;
  private final ChangeNotes.Factory notes;
  private final Gson gson;
  private final LongSupplier nanoTime;
  private final String node = String.format("%016x", ThreadLocalRandom.current().nextLong());
  private final Queue<Event> own = new ArrayDeque<>(); // guarded by this

  /** Projects of the events of this node that wait; guarded by this. */
  private final Multiset<String> projects = HashMultiset.create();

  /** Key and bytes of the object to be written; no bytes if there is none. */
  private String key = "";

  private byte[] unwritten = {};

  /** Event that did not fit into the last object; no bytes if there is none. */
  private byte[] left = {};

  /** Highest number of an object listed or written by this node. */
  private long highest;

  /** Readings of the clock when this node listed the objects for the first time. */
  private final Map<String, Long> listed = new HashMap<>();

  /** Highest number of an object read, by node. */
  private final Map<String, Long> read = new HashMap<>();

  /** Events to be posted, and the sum of the sizes of their objects; guarded by this. */
  private final Queue<String> others = new ArrayDeque<>();

  private long othersSize;

  /** Projects of the events that threads post just now; guarded by this. */
  private final Set<String> posting = new HashSet<>();

  private boolean listening;

  @Inject
  public SharedEvents(
      S3GitRepositoryManager repositories,
      OneOffRequestContext context,
      StreamedEvents streamed,
      ChangeNotes.Factory notes,
      @EventGson Gson gson) {
    this(repositories, context, streamed, notes, gson, System::nanoTime);
  }

  SharedEvents(
      S3GitRepositoryManager repositories,
      OneOffRequestContext context,
      StreamedEvents streamed,
      ChangeNotes.Factory notes,
      Gson gson,
      LongSupplier nanoTime) {
    this.repositories = repositories;
    this.context = context;
    this.streamed = streamed;
    this.notes = notes;
    this.gson = gson;
    this.nanoTime = nanoTime;
  }

  @Override
  public synchronized void onEvent(Event event) {
    String project = project(event);
    if (projects.count(project) == OF_PROJECT) {
      LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).log(
          "Following: more than %s events wait of project '%s', the newest are dropped",
          OF_PROJECT, project);
      return;
    }
    if (own.size() == WAITING) {
      poll();
      LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).log(
          "Following: more than %s events wait, the oldest are dropped", WAITING);
    }
    own.add(event);
    projects.add(project);
  }

  @Nullable
  private synchronized Event poll() {
    Event event = own.poll();
    if (event != null) {
      projects.remove(project(event));
    }
    return event;
  }

  /** Name of the project of an event; empty if it has none, as one of a plugin may. */
  private static String project(Event event) {
    try {
      return event instanceof ProjectEvent its ? its.getProjectNameKey().get() : "";
    } catch (RuntimeException e) {
      return "";
    }
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
    List<Listed> objects = list(store);
    write(store);
    read(store, objects);
    List<String> expired = expired(objects);
    if (!expired.isEmpty()) {
      store.delete(expired);
    }
  }

  /** Object with events of a node. */
  private record Listed(String key, long size, long number, String from) {}

  /** Lists objects by their numbers. */
  private List<Listed> list(ObjectStore store) throws IOException {
    List<Listed> objects = new ArrayList<>();
    store.list(
        PREFIX,
        object -> {
          Matcher parts = KEY.matcher(object.key());
          if (parts.matches()) {
            long number = Long.parseLong(parts.group(1));
            objects.add(new Listed(object.key(), object.size(), number, parts.group(2)));
            highest = Math.max(highest, number);
          }
        });
    objects.sort(Comparator.comparing(Listed::key));
    return objects;
  }

  private void write(ObjectStore store) throws IOException {
    if (unwritten.length == 0) {
      unwritten = lines();
      key = "%s%018d-%s".formatted(PREFIX, highest + 1, node);
    }
    if (unwritten.length > 0) {
      store.put(key, unwritten, 0, unwritten.length); // the same again after an unknown outcome
      highest++;
      unwritten = new byte[0];
    }
  }

  /** Takes events of this node for one object. */
  @SuppressWarnings("try") // the context is that of the thread
  private byte[] lines() {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    lines.writeBytes(left);
    left = new byte[0];
    long began = nanoTime.getAsLong();
    try (ManualRequestContext ignored = context.open()) {
      while (nanoTime.getAsLong() - began < TURN.toNanos()) {
        Event event = poll();
        if (event == null) {
          break;
        }
        byte[] line = line(event);
        if (lines.size() + line.length > MAX_BYTES) {
          left = line;
          break;
        }
        lines.writeBytes(line);
      }
    }
    return lines.toByteArray();
  }

  /** Makes the line of an event; none if the event cannot be shared. */
  private byte[] line(Event event) {
    try {
      byte[] line = (gson.toJson(event) + '\n').getBytes(UTF_8);
      if (line.length <= MAX_BYTES) {
        return line;
      }
      LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).log(
          "Following: an event %s is not shared, as it has %s bytes", event.type, line.length);
    } catch (RuntimeException e) { // event of a plugin, or of a deleted change
      LOG.atFine().withCause(e).log("Following: an event %s is not shared", event.type);
    }
    return new byte[0];
  }

  /**
   * Reads objects of other nodes once each, until as much as is held at most waits to be posted.
   * Skips those that were written before this node listened.
   */
  private void read(ObjectStore store, List<Listed> objects) throws IOException {
    for (Listed object : objects) {
      if (object.from.equals(node) || object.number <= read.getOrDefault(object.from, 0L)) {
        continue;
      }
      if (listening && object.size > MAX_BYTES) {
        LOG.atWarning().log(
            "Following: %s is not read, as it has %s bytes; no Gerrit wrote it",
            object.key, object.size);
      } else if (listening) {
        if (size() + object.size > MAX_BYTES) {
          break;
        }
        if (store.get(object.key, Optional.empty()) instanceof GetResult.Found found) {
          add(found.bytes());
        }
      }
      read.put(object.from, object.number);
    }
    listening = true;
  }

  /** Finds objects that this node has listed for longer than they are kept. */
  private List<String> expired(List<Listed> objects) {
    long now = nanoTime.getAsLong();
    Set<String> keys = new HashSet<>();
    List<String> expired = new ArrayList<>();
    for (Listed object : objects) {
      keys.add(object.key);
      if (now - listed.computeIfAbsent(object.key, k -> now) > KEPT.toNanos()) {
        expired.add(object.key);
      }
    }
    listed.keySet().retainAll(keys);
    return expired;
  }

  private synchronized long size() {
    return othersSize;
  }

  private synchronized void add(byte[] object) {
    othersSize += object.length;
    new String(object, UTF_8).lines().forEach(others::add);
  }

  /** Number of events of other nodes that were read and not posted. */
  public synchronized int unposted() {
    return others.size();
  }

  @Nullable
  private synchronized String next() {
    String line = others.poll();
    othersSize = others.isEmpty() ? 0 : othersSize;
    return line;
  }

  /**
   * Posts events of other nodes. Asks for each user who listens whether the user may see the event,
   * by rules of its project, so one event may take any time. The events after it can be posted by
   * another thread, which drops those of the same project.
   *
   * @param most number of events; those beyond were read after the last round
   */
  @SuppressWarnings("try") // the context is that of the thread
  public void post(int most) {
    long began = nanoTime.getAsLong();
    try (ManualRequestContext ignored = context.open()) {
      for (int i = 0; i < most && nanoTime.getAsLong() - began < TURN.toNanos(); i++) {
        String line = next();
        if (line == null) {
          return;
        }
        post(line);
      }
    }
  }

  private void post(String line) {
    try {
      Event event = gson.fromJson(line, Event.class);
      String project = project(event);
      if (!begin(project)) {
        LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).log(
            "Following: an event of project '%s' is dropped, as its rules have not decided yet who"
                + " may see an earlier one",
            project);
        return;
      }
      try {
        post(event);
      } catch (PermissionBackendException e) {
        LOG.atFine().withCause(e).log("Following: an event is not posted: %s", line);
      } finally {
        end(project);
      }
    } catch (RuntimeException e) { // from a plugin missing here
      LOG.atFine().withCause(e).log("Following: an event is not posted: %s", line);
    }
  }

  private synchronized boolean begin(String project) {
    return posting.add(project);
  }

  private synchronized void end(String project) {
    posting.remove(project);
  }

  private void post(Event event) throws PermissionBackendException {
    if (event instanceof ChangeDeletedEvent ofDeleted && !isPrivate(ofDeleted)) {
      streamed.postEvent(ofDeleted.getBranchNameKey(), ofDeleted);
    } else if (event instanceof ChangeEvent ofChange) {
      streamed.postEvent(change(ofChange), ofChange);
    } else {
      streamed.postEvent(event);
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

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;

/**
 * Repositories that changed since a cursor, as {@link StoreHistory#since} found them. Reads their
 * manifests on demand, several at a time. Used by one thread.
 *
 * <p>Bounded: after {@value #MOST} repositories {@link #next} returns none, and {@link #hasMore} is
 * true; the next poll, from {@link #end}, returns the rest.
 */
public final class StoreChanges {
  /** Most repositories of one poll. */
  public static final int MOST = 50_000;

  /** Manifests read at a time; one has 256 KiB at most. */
  private static final int BATCH = 32;

  private final StoreCursor cursor;
  private final Scan scan;
  private final ChangeReader reader;

  /** Repositories read before their turn, because another one has their name. */
  private final Set<String> visited = new HashSet<>();

  private final Queue<ChangeGroup> ready = new ArrayDeque<>();
  private final Queue<RepositoryChange> current = new ArrayDeque<>();
  private final List<ChangeGroup.Updates> returned = new ArrayList<>();

  StoreChanges(StoreCursor cursor, Scan scan, ChangeReader reader) {
    this.cursor = cursor;
    this.scan = scan;
    this.reader = reader;
  }

  /**
   * The next repository that changed.
   *
   * @return the change; empty after the last
   * @throws IOException if the store does not answer; {@link #end} then covers what was returned,
   *     and the next poll returns the rest
   */
  public Optional<RepositoryChange> next() throws IOException {
    while (current.isEmpty()) {
      if (ready.isEmpty() && !read()) {
        return Optional.empty();
      }
      ChangeGroup group = ready.poll();
      if (group != null && !group.updates().isEmpty()) { // else nothing changed
        current.addAll(group.changes());
        returned.add(group.updates());
      }
    }
    return Optional.of(current.remove());
  }

  /**
   * Tests whether more may have changed than was returned.
   *
   * @return true before the last change was asked for, and if there are more than one poll returns
   */
  public boolean hasMore() {
    return !scan.isOver() || !ready.isEmpty() || !current.isEmpty();
  }

  /** Reads the next manifests; false if there are none, or no more may be read. */
  private boolean read() throws IOException {
    List<Scan.Listed> batch = new ArrayList<>();
    while (batch.size() < BATCH && returned.size() + batch.size() < MOST) {
      Optional<Scan.Listed> next = scan.next();
      if (next.isEmpty()) {
        break;
      }
      next.filter(each -> !visited.contains(each.repositoryId())).ifPresent(batch::add);
    }
    if (batch.isEmpty()) {
      return false;
    }
    reader.read(batch);
    for (Scan.Listed each : batch) {
      if (!visited.contains(each.repositoryId())) {
        ChangeGroup group = reader.group(each.repositoryId());
        visited.addAll(group.updates().entries().keySet());
        visited.remove(each.repositoryId()); // its turn will not come again
        ready.add(group);
      }
    }
    return true;
  }

  /**
   * Cursor to continue from: covers the changes that {@link #next} has returned, except those of
   * kind {@link RepositoryChange.Kind#UNAVAILABLE} and those the caller {@linkplain
   * RepositoryChange#leave left}. Save it once everything derived from them is durable.
   *
   * @return the cursor; the one of the poll if nothing changed; costs no request
   */
  public StoreCursor end() {
    List<ChangeGroup.Updates> done =
        new ArrayList<>(current.isEmpty() ? returned : returned.subList(0, returned.size() - 1));
    removeLeft(done);
    TreeMap<String, Optional<StoreCursor.Entry>> updates = new TreeMap<>();
    done.forEach(each -> updates.putAll(each.entries()));
    return cursor.with(updates);
  }

  /** Removes the updates that were left, and all that share a repository or a name with them. */
  private static void removeLeft(List<ChangeGroup.Updates> done) {
    Set<String> kept = new HashSet<>();
    int before;
    do {
      before = done.size();
      done.removeIf(each -> each.isLeftWith(kept));
    } while (done.size() < before);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import org.jgits3.internal.fleet.NameTable;
import org.jgits3.manifest.RepositoryName;

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
  private final NameChanges names;

  /** Names visited out of their order, because a repository was renamed from or to them. */
  private final Set<RepositoryName> visited = new HashSet<>();

  private final Queue<NameChanges.Group> ready = new ArrayDeque<>();
  private final Queue<RepositoryChange> current = new ArrayDeque<>();
  private final List<NameChanges.Updates> returned = new ArrayList<>();

  StoreChanges(StoreCursor cursor, Scan scan, NameChanges names) {
    this.cursor = cursor;
    this.scan = scan;
    this.names = names;
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
      NameChanges.Group group = ready.poll();
      if (group != null) {
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
    List<Scan.Name> batch = new ArrayList<>();
    while (batch.size() < BATCH && returned.size() + batch.size() < MOST) {
      Optional<Scan.Name> next = scan.next();
      if (next.isEmpty()) {
        break;
      }
      next.filter(each -> !visited.contains(each.name())).ifPresent(batch::add);
    }
    if (batch.isEmpty()) {
      return false;
    }
    names.read(batch);
    for (Scan.Name each : batch) {
      if (!visited.contains(each.name())) {
        NameChanges.Group group = names.visit(each.name());
        visited.addAll(group.updates().entries().keySet());
        visited.remove(each.name()); // its turn will not come again
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
    List<NameChanges.Updates> done =
        new ArrayList<>(current.isEmpty() ? returned : returned.subList(0, returned.size() - 1));
    removeLeft(done);
    TreeMap<byte[], Optional<StoreCursor.Entry>> updates = new TreeMap<>(Arrays::compareUnsigned);
    for (NameChanges.Updates each : done) {
      each.entries()
          .forEach((name, entry) -> updates.put(NameTable.stored(name.manifestKey()), entry));
    }
    return cursor.with(updates);
  }

  /** Removes the updates that were left, and all that share a name with them. */
  private static void removeLeft(List<NameChanges.Updates> done) {
    Set<RepositoryName> kept = new HashSet<>();
    int before;
    do {
      before = done.size();
      List<NameChanges.Updates> left =
          done.stream()
              .filter(
                  each ->
                      each.isLeft() || each.entries().keySet().stream().anyMatch(kept::contains))
              .toList();
      left.forEach(each -> kept.addAll(each.entries().keySet()));
      done.removeAll(Set.copyOf(left));
    } while (done.size() < before);
  }
}

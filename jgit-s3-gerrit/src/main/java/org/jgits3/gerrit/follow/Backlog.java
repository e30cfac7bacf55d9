// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jgits3.gerrit.index.Effect;
import org.jgits3.gerrit.index.LocalState;

/**
 * Effects of one project that are to be followed, in the order in which they came. Each is taken by
 * one task at a time; {@link Effect.OfProject} by itself, while no other task of the project is
 * under way, because it may delete the documents of the project. Not safe for use by many threads.
 */
final class Backlog {
  /** Maximum number of effects that one task takes, for one request of Gerrit. */
  static final int CHUNK = 20;

  /** Maximum number of tasks under way, so that a large project leaves threads to others. */
  static final int TASKS = 4;

  /** Number of rounds after which an effect that cannot be followed is given up. */
  static final int ATTEMPTS = 20;

  private static final Effect ALL = new Effect.OfProject();

  private final Set<Effect> waiting = new LinkedHashSet<>();
  private final Set<Effect> underWay = new HashSet<>();
  private int tasks;

  /** Effects that failed, to be tried again in the next round. */
  private final Set<Effect> later = new LinkedHashSet<>();

  /** Times that effects failed, except by a failure of the store; kept until they succeed. */
  private final Map<Effect, Integer> failures = new HashMap<>();

  /** Effects that the store failed when they were last tried. */
  private final Set<Effect> failedByStore = new HashSet<>();

  private final boolean isOfRights;

  /**
   * Creates an empty backlog.
   *
   * @param isOfRights true for a project that rights depend on: its comparison is never given up
   */
  Backlog(boolean isOfRights) {
    this.isOfRights = isOfRights;
  }

  /** Adds effects. Those that failed before count as new. */
  void add(Collection<Effect> effects) {
    for (Effect effect : effects) {
      failures.remove(effect);
      later.remove(effect);
      waiting.add(effect);
    }
  }

  /** Has effects that failed tried again. */
  void retry() {
    waiting.addAll(later);
    later.clear();
  }

  /**
   * Takes effects for one task.
   *
   * @return the effects; empty if none may be taken now
   */
  List<Effect> take() {
    List<Effect> taken = new ArrayList<>();
    if (tasks == TASKS || underWay.contains(ALL) || waiting.contains(ALL) && tasks > 0) {
      return taken;
    }
    if (waiting.contains(ALL)) {
      taken.add(ALL);
    } else {
      waiting.stream().filter(each -> !underWay.contains(each)).limit(CHUNK).forEach(taken::add);
    }
    taken.forEach(waiting::remove);
    underWay.addAll(taken);
    tasks += taken.isEmpty() ? 0 : 1;
    return taken;
  }

  /**
   * Notes the end of a task.
   *
   * @param taken what it has taken
   * @param failed effects that failed, with the reasons
   * @return effects that are given up
   */
  Set<Effect> end(List<Effect> taken, Map<Effect, Throwable> failed) {
    tasks--;
    taken.forEach(underWay::remove);
    taken.forEach(failedByStore::remove);
    taken.stream().filter(effect -> !failed.containsKey(effect)).forEach(failures::remove);
    Set<Effect> givenUp = new LinkedHashSet<>();
    failed.forEach(
        (effect, reason) -> {
          boolean ofStore = LocalState.isOfStore(reason);
          boolean last = failures.merge(effect, ofStore ? 0 : 1, Integer::sum) >= ATTEMPTS;
          if (last && !(isOfRights && effect.equals(ALL))) {
            failures.remove(effect);
            givenUp.add(effect);
            return;
          }
          if (ofStore) {
            failedByStore.add(effect);
          }
          if (!waiting.contains(effect)) {
            later.add(effect);
          }
        });
    return givenUp;
  }

  /** Tests whether nothing waits and nothing is under way. */
  boolean isEmpty() {
    return waiting.isEmpty() && later.isEmpty() && tasks == 0;
  }

  /** Tests whether an effect waits or is under way that never failed. */
  boolean hasUntried() {
    return !failures.keySet().containsAll(waiting) || !failures.keySet().containsAll(underWay);
  }

  /**
   * Tests whether everything was followed, or fails by itself: by another cause than the store.
   * What fails by itself is given up in the end.
   */
  boolean isCaughtUp() {
    return !hasUntried() && failedByStore.isEmpty();
  }

  /** Tests whether an effect failed and is tried again. */
  boolean isFailing() {
    return !failures.isEmpty();
  }

  /** Tests whether the store failed an effect when it was last tried. */
  boolean storeFails() {
    return !failedByStore.isEmpty();
  }

  /** Tests whether rights may be missing: the store failed an effect, or the comparison fails. */
  boolean missesRights() {
    return isOfRights && (storeFails() || failures.containsKey(ALL));
  }
}

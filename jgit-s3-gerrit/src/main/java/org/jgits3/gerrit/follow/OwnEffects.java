// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.gerrit.entities.Project;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jgits3.gerrit.index.Effect;

/**
 * Effects of refs that this node changed, each once, with the time since which it is known. This
 * Gerrit has some time to index what it wrote before the follower applies the effect. Used by one
 * thread.
 */
final class OwnEffects {
  /** Time for this Gerrit to index what it wrote. */
  static final Duration TIME = Duration.ofSeconds(5);

  /**
   * Effect of a ref that this node changed.
   *
   * @param project project of the ref
   * @param effect the effect
   */
  record Own(Project.NameKey project, Effect effect) {}

  private final Map<Own, Long> since = new LinkedHashMap<>();

  /** Creates an empty set of effects. */
  OwnEffects() {}

  /** Adds an effect, unless it is there already. Moments are of {@link System#nanoTime}. */
  void add(Project.NameKey project, Effect effect, long known) {
    since.putIfAbsent(new Own(project, effect), known);
  }

  /** Effects that this node should have brought up to date itself by now. */
  List<Own> due(long now) {
    return since.keySet().stream().filter(its -> now - since.get(its) > TIME.toNanos()).toList();
  }

  /** Removes an effect that was applied. */
  void remove(Own applied) {
    since.remove(applied);
  }

  /** Tests whether one of the effects was known at a moment. */
  boolean anyKnownAt(long moment) {
    return since.values().stream().anyMatch(known -> known - moment <= 0);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.StoredObject;

/**
 * Rules for every change of a manifest. They make it safe to delete objects that no manifest lists.
 *
 * <p>A name that is listed for the first time was minted after the sweep boundary of the base, so
 * that no sweeper can have decided to delete it. A name that this process has seen leave never
 * returns. Counters never go back. The state changes only together with the epoch. The content of a
 * template never changes, and a fork that lists an object of its template names the template.
 *
 * <p>Used by one thread at a time.
 */
final class ListingRules {
  private static final int REMEMBERED = 4096;

  private final String where;

  private final Set<String> left =
      Collections.newSetFromMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
              return size() > REMEMBERED;
            }
          });

  /**
   * The rules for one manifest.
   *
   * @param where name for messages
   */
  ListingRules(String where) {
    this.where = where;
  }

  /**
   * Checks one change.
   *
   * @param base manifest last read
   * @param before state left by the change before
   * @param next the changed state
   * @return {@code next} with counters that do not go back
   * @throws ManifestException.Stalled if it lists a name that may be deleted already
   * @throws IllegalArgumentException if it changes what only the committer may change
   */
  Manifest check(Manifest base, Manifest before, Manifest next) throws IOException {
    boolean bound = next.epoch() > before.epoch();
    if (before.isTemplate() && !bound) {
      throw new ManifestException(
          where + ": is a template, which is never written; fork it, and write the fork", null);
    }
    if (!next.repositoryId().equals(base.repositoryId())
        || next.epoch() < before.epoch()
        || (!bound && !next.state().equals(before.state()))) {
      throw new IllegalArgumentException(
          where + ": a change alters the repository id, or the state without the epoch");
    }
    if (next.sweepBoundary() > base.generation() || next.dropped() > base.generation() + 1) {
      throw new IllegalArgumentException(
          where + ": a change sets a counter to a future generation");
    }
    if (next.packs().stream().map(PackEntry::id).distinct().count() != next.packs().size()) {
      throw new IllegalArgumentException(where + ": a change lists a pack twice");
    }
    if (!next.template().equals(before.template())) {
      checkTemplate(base, before, next);
    }
    checkNames(base, before, next);
    return next.notBelow(before);
  }

  /**
   * Remembers the names that left between two manifests.
   *
   * @param before the earlier one
   * @param after the later one
   */
  void observe(Manifest before, Manifest after) {
    Set<String> gone = names(before);
    gone.removeAll(names(after));
    left.addAll(gone);
  }

  /**
   * A repository becomes a template, or a fork that lists no object of its template is detached.
   */
  private void checkTemplate(Manifest base, Manifest before, Manifest next)
      throws ManifestException {
    Manifest.Template itself = new Manifest.Template(base.repositoryId(), base.generation());
    boolean becomes =
        before.mayHaveForks()
            && !before.isTemplate()
            && next.template().equals(Optional.of(itself));
    boolean detaches = before.isFork() && next.template().isEmpty();
    if (!becomes && !detaches) {
      throw new IllegalArgumentException(where + ": a change alters the template");
    }
    Optional<String> listed =
        names(next).stream().filter(id -> detaches && !before.isOwn(id)).findFirst();
    if (listed.isPresent()) {
      throw new ManifestException(
          where + ": still lists " + listed.get() + " of its template; repeat the command", null);
    }
  }

  private void checkNames(Manifest base, Manifest before, Manifest next) throws IOException {
    Set<String> fresh = names(next);
    fresh.removeAll(names(before));
    if (fresh.isEmpty()) {
      return;
    }
    Set<String> listedByBase = names(base);
    for (String id : fresh) {
      if (ObjectNames.mintedAt(id) <= base.sweepBoundary()) {
        throw new ManifestException.Stalled(
            where
                + ": object "
                + id
                + " was minted at or before the sweep boundary "
                + base.sweepBoundary()
                + " and may be deleted already; repeat the operation");
      }
      if (left.contains(id) || listedByBase.contains(id)) {
        throw new ManifestException.Stalled(
            where + ": object " + id + " was removed before; repeat the operation");
      }
    }
  }

  /** Names of all objects that a manifest lists; a delta has the name of its snapshot. */
  private static Set<String> names(Manifest manifest) {
    Set<String> names = new HashSet<>(manifest.refs().tableIds());
    manifest.packs().forEach(pack -> names.add(pack.id()));
    manifest.log().objects().map(StoredObject::id).forEach(names::add);
    return names;
  }
}

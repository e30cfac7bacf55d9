// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;

/**
 * Marks of earlier sweeps: the times of generations, and the objects that their manifests ruled
 * out. Transactions at the end of the log add further times. A mark is an object named after its
 * generation; no manifest lists it, so that a later sweep removes it.
 *
 * <p>A wrong clock makes a sweep delete too little, or makes work in progress fail. It cannot make
 * a sweep delete a needed object. A time in the future is ignored, and no generation counts as
 * older than one before it, so that one slow clock has little effect.
 */
final class SweepMarks {
  /** Maximum number of marks read, the newest; there are more only if sweeps run all the time. */
  private static final int READ = 100;

  private final ObjectStore store;
  private final String repositoryId;
  private final List<SweepMark> marks = new ArrayList<>();

  /** Times by which generations existed. They grow with the generation. */
  private final TreeMap<Long, Instant> times = new TreeMap<>();

  /**
   * Reads the marks of a repository.
   *
   * @param store store of the repository
   * @param manifest its manifest
   * @param now current time
   * @throws IOException if the store does not answer
   */
  SweepMarks(ObjectStore store, Manifest manifest, Instant now) throws IOException {
    this.store = store;
    this.repositoryId = manifest.repositoryId();
    for (String key : keys()) {
      read(key)
          .filter(mark -> mark.generation() <= manifest.generation())
          .filter(mark -> !mark.time().isAfter(now))
          .ifPresent(marks::add);
    }
    marks.forEach(mark -> note(mark.generation(), mark.time()));
    for (LogEntry entry : manifest.log().tail()) {
      Instant time = Instant.ofEpochMilli(entry.time());
      if (entry.generation() <= manifest.generation() && !time.isAfter(now)) {
        note(entry.generation(), time);
      }
    }
    Instant latest = Instant.MIN;
    for (Map.Entry<Long, Instant> known : times.entrySet()) {
      latest = later(latest, known.getValue());
      known.setValue(latest);
    }
  }

  private Collection<String> keys() throws IOException {
    TreeSet<String> keys = new TreeSet<>(); // in order of their generations
    store.list(
        ObjectNames.marks(repositoryId),
        object -> {
          keys.add(object.key());
          if (keys.size() > READ) {
            keys.pollFirst();
          }
        });
    return keys;
  }

  private Optional<SweepMark> read(String key) throws IOException {
    OptionalLong generation = ObjectNames.mintedAtOf(key);
    if (generation.isPresent()
        && store.get(key, Optional.empty()) instanceof GetResult.Found found) {
      return SweepMark.decode(repositoryId, generation.getAsLong(), found.bytes());
    }
    return Optional.empty();
  }

  private void note(long generation, Instant time) {
    times.merge(generation, time, SweepMarks::later);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private Instant time(SweepMark mark) {
    return times.get(mark.generation());
  }

  /**
   * Finds the newest generation that had ended by some moment. Names minted from it, or from an
   * earlier one, are older than the moment.
   *
   * @param moment the moment
   * @return the generation; 0 if none is known
   */
  long endedBefore(Instant moment) {
    return times.entrySet().stream()
        .filter(known -> !known.getValue().isAfter(moment))
        .mapToLong(known -> known.getKey() - 1)
        .max()
        .orElse(0);
  }

  /**
   * Finds the objects that were ruled out by some moment, so that no operation that began later
   * needs them. The newest mark that is old enough rules out all objects that earlier ones do.
   *
   * @param moment the moment
   * @return the objects, as far as they are known
   */
  UnlistedObjects unlistedBefore(Instant moment) {
    return marks.stream()
        .filter(mark -> !time(mark).isAfter(moment))
        .max(Comparator.comparingLong(SweepMark::generation))
        .map(SweepMark::unlisted)
        .orElse(UnlistedObjects.NOTHING);
  }

  /**
   * Tests whether there is a mark newer than a moment. The times of transactions do not count,
   * because later sweeps may not find them in the manifest.
   */
  boolean anyAfter(Instant moment) {
    return marks.stream().anyMatch(mark -> time(mark).isAfter(moment));
  }

  /**
   * Writes a mark.
   *
   * @param current manifest that is or was the current one
   * @param now time read after the manifest had become the current one
   * @throws IOException if the store refuses it
   */
  void leave(Manifest current, Instant now) throws IOException {
    SweepMark mark = new SweepMark(current.generation(), now, UnlistedObjects.by(current));
    byte[] bytes = mark.encode(repositoryId);
    String key = ObjectNames.markKey(repositoryId, ObjectNames.mint(current));
    store.put(key, bytes, 0, bytes.length);
  }
}

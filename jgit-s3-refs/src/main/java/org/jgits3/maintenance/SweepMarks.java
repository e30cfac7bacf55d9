// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;

/**
 * When generations were the current ones, as far as that is known: from marks that earlier sweeps
 * left, and from the transactions at the end of the log. A mark is an object of its own, of which
 * the name tells the generation and the content the time; no manifest lists it, so that a later
 * sweep removes it. Clocks that are wrong make a sweep delete too little, or refuse work in
 * progress; they cannot make it delete what is needed.
 */
final class SweepMarks {
  /** Marks that are read; more than ever are there unless somebody sweeps all the time. */
  private static final int READ = 100;

  private final ObjectStore store;
  private final Manifest manifest;
  private final List<Mark> marks = new ArrayList<>();
  private final List<Mark> transactions;

  private record Mark(long generation, Instant time) {}

  /**
   * Reads the marks of a repository.
   *
   * @param store where they are
   * @param manifest its manifest
   * @throws IOException if the store does not answer
   */
  SweepMarks(ObjectStore store, Manifest manifest) throws IOException {
    this.store = store;
    this.manifest = manifest;
    List<String> keys = new ArrayList<>();
    store.list(
        ObjectNames.marks(manifest.repositoryId()),
        object -> {
          if (keys.size() < READ) {
            keys.add(object.key());
          }
        });
    for (String key : keys) {
      OptionalLong generation = ObjectNames.mintedAtOf(key);
      Optional<Instant> time = read(key);
      if (generation.isPresent() && time.isPresent()) {
        marks.add(new Mark(generation.getAsLong(), time.get()));
      }
    }
    transactions = manifest.log().tail().stream().map(SweepMarks::mark).toList();
  }

  private static Mark mark(LogEntry entry) {
    return new Mark(entry.generation(), Instant.ofEpochMilli(entry.time()));
  }

  private Optional<Instant> read(String key) throws IOException {
    try {
      return store.get(key, Optional.empty()) instanceof GetResult.Found found
          ? Optional.of(Instant.parse(new String(found.bytes(), US_ASCII)))
          : Optional.empty();
    } catch (DateTimeParseException e) {
      return Optional.empty(); // a mark that says nothing is as good as none
    }
  }

  /**
   * The newest generation that had been followed by another at some moment, so that what was named
   * in it is older.
   *
   * @param moment the moment
   * @return the generation; 0 if none is known
   */
  long endedBefore(Instant moment) {
    return Stream.concat(marks.stream(), transactions.stream())
        .filter(mark -> mark.generation() <= manifest.generation())
        .filter(mark -> !mark.time().isAfter(moment))
        .mapToLong(mark -> mark.generation() - 1)
        .max()
        .orElse(0);
  }

  /**
   * Whether there is a mark newer than a moment, that a later sweep will go by. Transactions do not
   * count, since they leave the manifest when there are many.
   */
  boolean anyAfter(Instant moment) {
    return marks.stream().anyMatch(mark -> mark.time().isAfter(moment));
  }

  /**
   * Leaves a mark.
   *
   * @param current manifest that is the current one
   * @param now the time
   * @throws IOException if the store does not take it
   */
  void leave(Manifest current, Instant now) throws IOException {
    byte[] time = now.toString().getBytes(US_ASCII);
    String key = ObjectNames.markKey(current.repositoryId(), ObjectNames.mint(current));
    store.put(key, time, 0, time.length);
  }
}

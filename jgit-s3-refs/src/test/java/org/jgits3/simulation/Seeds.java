// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Seeds of runs that find the mutations: lines of a name, a tab and a seed, in a file beside the
 * sources. A change of the library changes the runs, and so the seeds.
 */
final class Seeds {
  private static final Path FILE =
      Path.of("src/test/resources/org/jgits3/simulation/mutations.seeds");

  private final Map<String, Long> seeds = new TreeMap<>();

  /** Reads the file. */
  Seeds() throws IOException {
    if (Files.exists(FILE)) {
      for (String line : Files.readAllLines(FILE)) {
        String[] parts = line.split("\t", -1);
        seeds.put(parts[0], Long.valueOf(parts[1]));
      }
    }
  }

  /** The seed of a mutation; 1 if none is known. */
  long of(Mutation mutation) {
    return seeds.getOrDefault(mutation.name(), 1L);
  }

  /** Notes the seed of a mutation. */
  void put(Mutation mutation, long seed) {
    seeds.put(mutation.name(), seed);
  }

  /** Writes the file anew, without mutations that are no more. */
  void write(List<Mutation> mutations) throws IOException {
    seeds.keySet().retainAll(mutations.stream().map(Mutation::name).toList());
    Files.write(
        FILE, seeds.entrySet().stream().map(e -> e.getKey() + "\t" + e.getValue()).toList());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.lib.Ref;

/** Refs of a repository that is measured: the same ones at each call. */
interface RefSet {
  /** Number of refs in a sample. */
  int SAMPLE = 1024;

  /** Seed of random choices. */
  long SEED = 20_260_901;

  /** Number of refs. */
  int size();

  /** All refs, by name. */
  List<Ref> all();

  /** {@link #SAMPLE} refs picked at random; some more than once if there are few. */
  List<Ref> sample();

  /** Full names that no ref has, among those that exist. */
  default List<String> absent() {
    Set<String> names = new HashSet<>();
    all().forEach(ref -> names.add(ref.getName()));
    return sample().stream().map(ref -> absent(ref.getName(), names)).toList();
  }

  private static String absent(String name, Set<String> names) {
    String absent = name + "x";
    while (names.contains(absent)) {
      absent += "x";
    }
    return absent;
  }

  /** Prefixes of names, up to the last slash: of a review server, the refs of one change each. */
  default List<String> prefixes() {
    return sample().stream()
        .map(Ref::getName)
        .map(name -> name.substring(0, name.lastIndexOf('/') + 1))
        .toList();
  }

  /**
   * Writes the refs as C git would.
   *
   * @param file the packed-refs file
   */
  default void writePackedRefs(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write("# pack-refs with: peeled fully-peeled sorted \n");
      for (Ref ref : all()) {
        out.write(ref.getObjectId().name() + ' ' + ref.getName() + '\n');
        if (ref.getPeeledObjectId() != null) {
          out.write('^' + ref.getPeeledObjectId().name() + '\n');
        }
      }
    }
  }
}

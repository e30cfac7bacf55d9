// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the memory of an import besides the table of its refs. */
@Holds(
    "PackedRefsFile, RefFiles, SourceRefs, InitialRefs: Refs of a directory take the memory of "
        + "their table. Loose ones replace packed ones. Peeled values rest on the objects alone.")
@Timeout(120)
class ImportMemoryTest extends ImportFixture {
  private static final int REFS = 500_000;
  private static final int MIB = 1 << 20;

  /** What the process needs however few refs there are. */
  private static final int REST = 36;

  /** Writes sorted refs, a few of them loose as well, and returns the bytes of their table. */
  private long createRefs() throws IOException {
    String head = source.run("rev-parse", "HEAD").strip();
    Path packed = source.directory().resolve("packed-refs");
    try (BufferedWriter out = Files.newBufferedWriter(packed)) {
      out.write("# pack-refs with: peeled fully-peeled sorted \n");
      for (int i = 0; i < REFS; i++) {
        String number = Integer.toString(1_000_000 + i).substring(1);
        out.write(head + " refs/changes/" + number.substring(0, 2) + "/0" + number + "/1\n");
      }
    }
    source.run("update-ref", "refs/changes/07/0077777/1", "HEAD~1");
    source.run("tag", "-a", "-m", "loose", "v1");
    return Files.size(packed) + (long) Integer.BYTES * REFS;
  }

  @Test
  void a_heap_for_the_table_will_do_for_half_a_million_refs() throws Exception {
    long table = createRefs();
    long heap = table / MIB + REST;
    assertThat(heap).as("little more than two tables").isLessThan(2 * table / MIB + REST / 8);
    List<String> options = List.of("-Xmx" + heap + "m", "-Xmn8m", "-XX:+UseSerialGC");
    String store = scratch.resolve("store").toString();
    String refs =
        ForkedJvm.run(options, ImportingProcess.class, store, source.directory().toString());
    assertThat(Integer.parseInt(refs)).isGreaterThan(REFS);
  }

  /** A process that imports, and says how many refs. */
  static final class ImportingProcess {
    private ImportingProcess() {}

    /**
     * Imports.
     *
     * @param args directories of the store and of the source
     */
    public static void main(String[] args) throws IOException, ConfigInvalidException {
      try (S3RepositoryManager manager = TestRepositories.manager(Path.of(args[0]))) {
        System.out.println(importInto(manager, args[1]).refs());
      }
    }
  }
}

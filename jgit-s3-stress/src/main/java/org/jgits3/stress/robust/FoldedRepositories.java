// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.report.Unit;

/** Repositories that one JVM of a small heap creates and folds, one after the other. */
final class FoldedRepositories {
  static final String KEY = "folded_out_of_memory";
  static final String COUNTED_KEY = "memory_counted_of_held";

  /** Least part asked for: memory that no limit counts is small. */
  private static final double COUNTED = 0.8;

  private static final String HEAP = "-Xmx256m";
  private static final int REFS = 900;
  private static final double MIB = 1 << 20;
  private static final int OUT_OF_MEMORY = 3;
  private static final Duration LIMIT = Duration.ofMinutes(8);

  private final Bench bench;

  FoldedRepositories(Bench bench) {
    this.bench = bench;
  }

  void run() throws IOException, InterruptedException {
    Path config = bench.configFile("folded", bench.config("folded"));
    int repositories = bench.plan().repositories();
    Path errors = bench.scratch().resolve("folded.log");
    Optional<JvmProgram.Ended> ended =
        new JvmProgram(
                List.of(HEAP, "-XX:+ExitOnOutOfMemoryError"),
                Program.class,
                List.of(config.toString(), Integer.toString(repositories)))
            .run(LIMIT, errors);
    String title = "%,d repositories of %d refs, folded, %s: ".formatted(repositories, REFS, HEAP);
    int code = ended.map(JvmProgram.Ended::exitCode).orElse(-1);
    if (code != 0 && code != OUT_OF_MEMORY) {
      throw new IOException(
          title + (ended.isEmpty() ? "too slow" : Files.readString(errors).strip()));
    }
    Findings findings = bench.findings();
    findings.none(title + "OutOfMemoryError", "directory", code == 0 ? 0 : 1);
    findings.headline(KEY, code == 0 ? 0 : 1);
    if (code == 0) {
      String[] memory = ended.orElseThrow().printed().split(" ", -1);
      double held = Double.parseDouble(memory[0]);
      double refs = Double.parseDouble(memory[1]);
      double manifests = Double.parseDouble(memory[2]);
      double indexes = Double.parseDouble(memory[3]);
      findings.note(title + "held after a collection", "directory", Unit.MEGABYTES, held / MIB);
      findings.note(title + "counted, refs", "directory", Unit.MEGABYTES, refs / MIB);
      findings.note(title + "counted, manifests", "directory", Unit.MEGABYTES, manifests / MIB);
      findings.note(title + "counted, pack indexes", "directory", Unit.MEGABYTES, indexes / MIB);
      double blocks = Double.parseDouble(memory[4]);
      findings.note(title + "counted, blocks of packs", "directory", Unit.MEGABYTES, blocks / MIB);
      double counted = (refs + manifests + indexes + blocks) / held;
      findings.atLeast(title + "counted of held", "directory", Unit.TIMES, counted, COUNTED);
      findings.headline(COUNTED_KEY, counted);
    }
  }

  /** The JVM: prints bytes held, and counted for refs, manifests, indexes, blocks. */
  static final class Program {
    private Program() {}

    /**
     * Creates and folds.
     *
     * @param args config file, number of repositories
     */
    public static void main(String[] args) throws IOException {
      String config = Files.readString(Path.of(args[0]));
      long before = held();
      S3RepositoryManager manager = Bench.manager(config);
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        try (S3Repository repository = manager.createRepository("r" + i)) {
          Refs.createMany(
              repository, "refs/heads/branch-", REFS, Refs.commit(repository, "commit " + i));
          repository.getRefDatabase().compact();
        }
      }
      System.out.println(
          (held() - before)
              + " "
              + manager.tableBudget().held()
              + " "
              + manager.manifestBudget().held()
              + " "
              + manager.indexBudget().held()
              + " "
              + LongStream.of(DfsBlockCache.getInstance().getCurrentSize()).sum());
      manager.close();
    }

    /** Bytes of the heap that are in use after a collection. */
    private static long held() {
      System.gc();
      return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
  }
}

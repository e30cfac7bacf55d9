// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.process.ScratchDirectory;

/** Clones of a repository of many objects, all at once. */
final class ClonesTogether {
  static final String KEY = "clones_hung_or_failed";

  private static final int FILES_OF_DIRECTORY = 300;
  private static final String NAME = "many";

  private final Bench bench;

  ClonesTogether(Bench bench) {
    this.bench = bench;
  }

  void run() throws IOException, InterruptedException {
    Path source = bench.scratch().resolve("many.git");
    bench.git().run(bench.scratch(), "init", "-q", "--bare", source.toString());
    bench.git().run(source, this::write, "fast-import", "--quiet", "--done");
    Path config = bench.configFile("clones", bench.config("clones"));
    boolean pushed = false;
    for (int clones : bench.plan().clones()) {
      Path log = bench.scratch().resolve("clones-" + clones + ".log");
      try (ServerJvm server = bench.serve(PushesTogether.HEAP, config, log)) {
        if (!pushed) {
          bench.git().run(source, "push", "-q", server.url(NAME), "main");
          pushed = true;
        }
        measure(server, clones, "", log);
      }
    }
    if (bench.plan().collectedClones() > 0) {
      bench.run(config, PushesTogether.LIMIT, "gc", NAME);
      Path log = bench.scratch().resolve("clones-collected.log");
      try (ServerJvm server = bench.serve(PushesTogether.HEAP, config, log)) {
        measure(server, bench.plan().collectedClones(), " after gc", log);
      }
    }
  }

  private void measure(ServerJvm server, int clones, String when, Path log)
      throws IOException, InterruptedException {
    String title =
        "%d clones of %,d files at once%s, %s: "
            .formatted(clones, bench.plan().files(), when, PushesTogether.HEAP);
    Path into = bench.scratch().resolve("clones");
    List<Callable<GitClient.Ended>> clients = new ArrayList<>();
    for (int i = 0; i < clones; i++) {
      String each = into.resolve(Integer.toString(i)).toString();
      clients.add(
          () ->
              bench
                  .git()
                  .attempt(
                      bench.scratch(),
                      PushesTogether.LIMIT,
                      "clone",
                      "-q",
                      "--bare",
                      server.url(NAME),
                      each));
    }
    PushesTogether.Outcomes outcomes = PushesTogether.Outcomes.of(Bench.together(clients));
    ScratchDirectory.delete(into);
    long memory = outcomes.note(bench.findings(), title, log);
    bench.findings().headline(KEY, (double) (outcomes.bad() + memory));
  }

  private void write(OutputStream out) throws IOException {
    StringBuilder text =
        new StringBuilder("commit refs/heads/main\ncommitter A <a@example.com> 1 +0000\n")
            .append("data 4\nmany\n");
    for (int i = 0; i < bench.plan().files(); i++) {
      String content = "%06d".formatted(i);
      text.append("M 644 inline ").append(i / FILES_OF_DIRECTORY).append('/').append(content);
      text.append("\ndata 6\n").append(content).append('\n');
    }
    out.write(text.append("done\n").toString().getBytes(StandardCharsets.US_ASCII));
  }
}

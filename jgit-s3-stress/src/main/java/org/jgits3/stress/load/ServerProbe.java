// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.process.Leftovers;

/**
 * Measures what a server needs: asks its JVM for a full collection, and reads {@code /metrics}.
 *
 * @param server the server
 */
record ServerProbe(ServerJvm server) {
  private static final long SECONDS_TO_COLLECT = 60;

  Stage measure(String name) throws IOException, InterruptedException {
    collect();
    List<String> metrics = metrics();
    return new Stage(
        name,
        sum(metrics, "jvm_memory_used_bytes{area=\"heap\""),
        sum(metrics, "jgits3_blockcache_size_bytes")
            + sum(metrics, "jgits3_memory_size_bytes{use=\"refs\"}")
            + sum(metrics, "jgits3_memory_size_bytes{use=\"parts\"}"),
        sum(metrics, "jvm_threads_live_threads "),
        sum(metrics, "process_files_open_files "));
  }

  private void collect() throws IOException, InterruptedException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process process =
        Leftovers.start(
            new ProcessBuilder(jcmd, Long.toString(server.pid()), "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD));
    try {
      if (!process.waitFor(SECONDS_TO_COLLECT, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException("the server does not collect garbage: jcmd GC.run failed");
      }
    } finally {
      Leftovers.end(process);
    }
  }

  private List<String> metrics() throws IOException {
    try (InputStream in = server.uri().resolve("metrics").toURL().openStream()) {
      return new String(in.readAllBytes(), UTF_8).lines().toList();
    }
  }

  private static double sum(List<String> metrics, String beginning) throws IOException {
    List<String> lines = metrics.stream().filter(line -> line.startsWith(beginning)).toList();
    if (lines.isEmpty()) {
      throw new IOException("/metrics has no " + beginning);
    }
    return lines.stream()
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}

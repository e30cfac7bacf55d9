// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jgits3.gerrit.e2e.tools.GerritWar;
import org.jgits3.gerrit.e2e.tools.Programs;

/** Starts that fail: with one clear line, an exit code, and nothing written. */
record Refusals(
    Programs programs,
    Report report,
    S3Server store,
    GerritNode node,
    Path directory,
    Path root,
    Path jar) {
  private static final String UNSUPPORTED = "3.12.9";

  /** Credentials that s3rver has. */
  private static final String S3RVER = "S3RVER";

  /** Ends the node, and starts it where it has to refuse; {@code StartTest} has more reasons. */
  void run() throws InterruptedException {
    report.check(
        "a Gerrit of a line that the jar is not made for does not start", this::unsupported);
    Path s3rver = root.resolve("target/tools/s3rver");
    String unsafe = "a Gerrit does not start on a store that ignores conditions";
    if (Files.isExecutable(s3rver)) {
      report.check(unsafe, () -> unsafe(s3rver));
    } else {
      report.skip(unsafe, "etc/test/s3rver could not install such a one");
    }
  }

  private static void oneLine(List<String> lines, String said) {
    that(lines.size() == 1 && lines.get(0).contains(said), "said: " + lines);
    Report.say("  " + lines.get(0));
  }

  private void unsupported() throws IOException, InterruptedException {
    node.stop();
    Path version = directory.resolve("unsupported").resolve(GerritWar.VERSION);
    Files.createDirectories(version.getParent());
    Files.writeString(version, UNSUPPORTED);
    int before = store.settledRequests().size();
    // Found there before the one in the war.
    List<String> said = node.refusal("-Xbootclasspath/a:" + directory.resolve("unsupported"));
    oneLine(said, "jgit-s3-gerrit.jar does not support Gerrit " + UNSUPPORTED);
    equal(store.settledRequests().size(), before, "requests");
  }

  private void unsafe(Path s3rver) throws IOException, InterruptedException {
    node.stop();
    int port = Programs.freePort();
    Path data = Files.createDirectories(directory.resolve("s3rver"));
    Process server =
        programs.start(
            directory,
            Map.of(),
            directory.resolve("s3rver.log").toFile(),
            List.of(
                s3rver.toString(),
                "--address",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--directory",
                data.toString(),
                "--configure-bucket",
                S3Server.BUCKET));
    try {
      S3Server.await(port, server, directory.resolve("s3rver.log"));
      node.configure(store, port, jar);
      node.secrets(S3RVER, S3RVER);
      oneLine(node.refusal(), "s3://" + S3Server.BUCKET);
      try (Stream<Path> objects = Files.walk(data).filter(Files::isRegularFile)) {
        equal(objects.map(Path::toString).toList(), List.of(), "objects");
      }
    } finally {
      programs.end(server);
    }
  }
}

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

  /** Settings with which a Gerrit does not start, and what it says then. */
  private record Wrong(String what, String settings, String said) {}

  private static final List<Wrong> WRONG =
      List.of(
          new Wrong(
              "another server id",
              "[gerrit]\n  serverId = other",
              "gerrit.serverId is other, but that of the Gerrits on s3://"),
          new Wrong("a bucket that is missing", "[s3]\n  store = s3://none/git", "s3://none"),
          new Wrong("a wrong setting", "[s3 \"refs\"]\n  validate = sometimes", "validate"));

  /** Ends the node, and starts it where it has to refuse; a brief run leaves out most reasons. */
  void run(boolean brief) throws InterruptedException {
    report.check(
        "a Gerrit of a line that the jar is not made for does not start", this::unsupported);
    if (!brief) {
      for (Wrong wrong : WRONG) {
        report.check("a Gerrit does not start with " + wrong.what, () -> wrong(wrong));
      }
      report.check("a Gerrit does not start with wrong keys", this::wrongKeys);
    }
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

  private void wrong(Wrong wrong) throws IOException, InterruptedException {
    node.stop();
    node.configure(store, jar);
    node.add(wrong.settings + "\n");
    oneLine(node.refusal(), wrong.said);
  }

  private void wrongKeys() throws IOException, InterruptedException {
    node.configure(store, jar);
    node.secrets(S3Server.KEY, "wrong");
    oneLine(node.refusal(), "s3://" + S3Server.BUCKET);
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

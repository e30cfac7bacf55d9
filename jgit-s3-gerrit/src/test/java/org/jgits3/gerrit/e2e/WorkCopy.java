// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.gerrit.e2e.tools.Programs;

/** A clone that a user of Gerrit works in, by git over HTTP. */
final class WorkCopy {
  private static final Pattern CHANGE = Pattern.compile("/\\+/(\\d+)");
  static final Map<String, String> ENVIRONMENT =
      Map.of("GIT_TERMINAL_PROMPT", "0", "GIT_CONFIG_GLOBAL", "/dev/null", "LC_ALL", "C");

  /**
   * Time after which a command is ended. Processes of Git 2.39 may wait for each other for ever if
   * the answer to a push breaks off, since its Gerrit ended; outages take two minutes.
   */
  private static final long MOST_MINUTES = 5;

  private final Programs programs;
  private final Path directory;
  private final String project;

  WorkCopy(Programs programs, GerritNode node, Path directory, String project)
      throws IOException, InterruptedException {
    this.programs = programs;
    this.directory = Files.createDirectories(directory);
    this.project = project;
    git("clone", "-q", node.url(project), ".");
  }

  String git(String... arguments) throws IOException, InterruptedException {
    return run(arguments).ok().trim();
  }

  /** Runs a command of git as another user, and tells whether it succeeded. */
  boolean tryAs(String user, String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of("-c", "http.extraHeader=", "-c", "http.extraHeader=X-Forwarded-User: " + user));
    command.addAll(Arrays.asList(arguments));
    return run(command.toArray(String[]::new)).exitCode() == 0;
  }

  /** Writes a file of the work tree. */
  void write(String file, String text) throws IOException {
    Files.writeString(directory.resolve(file), text);
  }

  /** Runs a command of git that has to fail, and returns what it says. */
  String refusal(String... arguments) throws IOException, InterruptedException {
    Programs.Result result = run(arguments);
    if (result.exitCode() == 0) {
      throw new IOException("was not refused: " + result.output());
    }
    return result.output();
  }

  private Programs.Result run(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "git",
                "-c",
                "http.extraHeader=X-Forwarded-User: admin",
                "-c",
                "user.name=admin",
                "-c",
                "user.email=admin@example.com"));
    command.addAll(Arrays.asList(arguments));
    return programs.run(directory, ENVIRONMENT, command, MOST_MINUTES);
  }

  /** Commits a file with a Change-Id of its own. */
  void commit(String file, String text) throws IOException, InterruptedException {
    byte[] id = new byte[20];
    ThreadLocalRandom.current().nextBytes(id);
    Files.writeString(directory.resolve(file), text);
    git("add", file);
    git("commit", "-q", "-m", file + "\n\nChange-Id: I" + HexFormat.of().formatHex(id));
  }

  void amend(String file, String text) throws IOException, InterruptedException {
    Files.writeString(directory.resolve(file), text);
    git("commit", "-q", "-a", "--amend", "--no-edit");
  }

  /** Pushes HEAD for review, and returns how REST names the change. */
  String push() throws IOException, InterruptedException {
    return push("");
  }

  private String push(String options) throws IOException, InterruptedException {
    return pushed("push", "origin", "HEAD:refs/for/master" + options);
  }

  /** Pushes by a command of git, and returns how REST names the change. */
  String pushed(String... command) throws IOException, InterruptedException {
    String output = git(command);
    Matcher matcher = CHANGE.matcher(output);
    if (!matcher.find()) {
      throw new IOException("no change in " + output);
    }
    return project + "~" + matcher.group(1);
  }

  /** Starts again from the branch as it is now. */
  void renew() throws IOException, InterruptedException {
    git("fetch", "-q", "origin");
    git("reset", "-q", "--hard", "origin/master");
  }

  String newChange(String file) throws IOException, InterruptedException {
    renew();
    commit(file, file + "\n");
    return push();
  }

  String newPrivateChange(String file) throws IOException, InterruptedException {
    renew();
    commit(file, file + "\n");
    return push("%private");
  }
}

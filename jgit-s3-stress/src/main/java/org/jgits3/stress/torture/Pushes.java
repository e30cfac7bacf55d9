// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jgits3.bench.git.GitClient;
import org.jgits3.stress.torture.Clerk.Change;
import org.jgits3.stress.torture.Clerk.Outcome;

/** Lists, fetches and pushes by the git on the PATH through servers, by one thread. */
final class Pushes {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final int LINES = 2000;

  private final GitClient git;
  private final Path clone;
  private final Clerk clerk;
  private final RandomGenerator random;

  private Pushes(GitClient git, Path clone, Clerk clerk, RandomGenerator random) {
    this.git = git;
    this.clone = clone;
    this.clerk = clerk;
    this.random = random;
  }

  /** Prepares a client with a repository of its own. */
  static Pushes in(Path clone, GitClient git, Clerk clerk, RandomGenerator random)
      throws IOException, InterruptedException {
    git.run(clone.getParent(), "init", "-q", "--bare", clone.toString());
    return new Pushes(git, clone, clerk, random);
  }

  /**
   * Lists some refs of a repository, fetches one perhaps, and pushes commits on top perhaps.
   *
   * @param url where a server has the repository
   * @param repositoryId its id
   */
  void step(String url, String repositoryId) throws IOException, InterruptedException {
    Family family = Family.now(repositoryId, random);
    Optional<Map<String, String>> listed = list(url, family);
    if (listed.isEmpty()) {
      return;
    }
    Map<String, String> values = listed.get();
    Optional<String> parent = fetch(url, family, values);
    if (random.nextInt(4) > 0) {
      push(url, family, values, parent);
    }
  }

  private GitClient.Ended attempt(String... args) throws IOException, InterruptedException {
    return git.attempt(clone, LIMIT, args);
  }

  private Optional<Map<String, String>> list(String url, Family family)
      throws IOException, InterruptedException {
    long began = System.nanoTime();
    GitClient.Ended ended = attempt("ls-remote", url, family.prefix() + "*");
    if (!ended.succeeded()) {
      clerk.did("ls-remote", ended.errors());
      return Optional.empty();
    }
    Map<String, String> values = new TreeMap<>();
    Family.NAMES.forEach(name -> values.put(name, Clerk.MISSING));
    ended.printed().lines().map(line -> line.split("\t", 2)).forEach(l -> note(family, values, l));
    values.remove(Family.LINK); // is told as its target's value
    clerk.read(began, family.group(), values);
    return Optional.of(values);
  }

  private static void note(Family family, Map<String, String> values, String[] line) {
    values.put(line[1].substring(family.prefix().length()), line[0]);
  }

  /** Fetches a commit that a ref led to, and returns it if it came. */
  private Optional<String> fetch(String url, Family family, Map<String, String> values)
      throws IOException, InterruptedException {
    String name = NAMES.get(random.nextInt(NAMES.size()));
    if (values.get(name).equals(Clerk.MISSING) || random.nextInt(3) == 0) {
      return Optional.empty();
    }
    GitClient.Ended ended = attempt("fetch", "-q", url, family.ref(name));
    clerk.did("fetch", ended.succeeded() ? "ok" : ended.errors());
    if (ended.errors().contains("did not send all necessary objects")) {
      clerk.found("lost: a fetch of " + family.group() + " " + name + ": " + ended.errors());
    }
    return ended.succeeded()
        ? Optional.of(attempt("rev-parse", "FETCH_HEAD").printed())
        : Optional.empty();
  }

  private void push(String url, Family family, Map<String, String> values, Optional<String> parent)
      throws IOException, InterruptedException {
    List<Change> changes = new ArrayList<>();
    List<String> args = new ArrayList<>(List.of("push", "--porcelain", "--atomic"));
    List<String> specs = new ArrayList<>();
    for (String name : NAMES.subList(0, 1 + random.nextInt(NAMES.size()))) {
      String old = values.get(name);
      boolean deletes = !old.equals(Clerk.MISSING) && random.nextInt(6) == 0;
      String now = deletes ? Clerk.MISSING : commit(parent);
      changes.add(new Change(name, old, now));
      String lease = old.equals(Clerk.MISSING) ? "" : old;
      args.add("--force-with-lease=" + family.ref(name) + ":" + lease);
      specs.add((deletes ? "" : now) + ":" + family.ref(name));
    }
    args.add(url);
    args.addAll(specs);
    String id = clerk.beginWrite(family.group(), changes);
    GitClient.Ended ended = attempt(args.toArray(String[]::new));
    Outcome outcome = outcome(ended);
    clerk.endWrite(id, outcome);
    clerk.did(
        "push", outcome + " " + (outcome == Outcome.OK ? "" : ended.printed() + ended.errors()));
    if (outcome == Outcome.OK) {
      for (Change change : changes) {
        if (!change.now().equals(Clerk.MISSING)) {
          clerk.acknowledged(family.repositoryId(), change.now());
        }
      }
    }
  }

  /** Returns the outcome that git was told of each ref; unknown if it was told nothing. */
  static Outcome outcome(GitClient.Ended ended) {
    if (ended.succeeded()) {
      return Outcome.OK;
    }
    List<String> told = ended.printed().lines().filter(line -> line.startsWith("!\t")).toList();
    boolean unknown =
        told.stream()
            .anyMatch(l -> l.contains("outcome unknown") || l.contains("[remote failure]"));
    return told.isEmpty() || unknown ? Outcome.UNKNOWN : Outcome.REFUSED;
  }

  /** Makes a commit in the clone that no other has made. */
  private String commit(Optional<String> parent) throws IOException, InterruptedException {
    String message = Commits.message(random);
    byte[] content = Commits.content(message);
    String lines = lines();
    git.run(
        clone,
        stdin -> {
          write(stdin, "reset refs/heads/new\n\n");
          write(stdin, "commit refs/heads/new\ncommitter A <a@example.com> 1 +0000\n");
          write(stdin, "data " + message.length() + "\n" + message + "\n");
          write(stdin, parent.map(id -> "from " + id + "\n").orElse(""));
          write(stdin, "M 100644 inline lines\ndata " + lines.length() + "\n" + lines + "\n");
          write(stdin, "M 100644 inline " + Commits.FILE + "\ndata " + content.length + "\n");
          stdin.write(content);
          write(stdin, "\n");
        },
        "fast-import",
        "--quiet",
        "--force");
    return git.run(clone, "rev-parse", "refs/heads/new");
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(US_ASCII));
  }

  /** A long file that differs in one line from those before, so that git sends a delta. */
  private String lines() {
    int changed = random.nextInt(LINES);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      text.append(i == changed ? Long.toHexString(random.nextLong()) : "line " + i).append('\n');
    }
    return text.toString();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jgits3.gerrit.e2e.tools.Programs;

/** The way of a site from the local disk into a bucket, and out of it, as the README describes. */
final class Migration {
  private static final String PREFIX = "migration";
  private static final String P = "moved/p";

  /** A project that nobody changes meanwhile. */
  private static final String QUIET = "moved/quiet";

  /** Lists of all that a site has. */
  private static final List<String> EVERYTHING =
      List.of(
          "projects/?d",
          "changes/?q=is:open+OR+is:closed&n=500&o=ALL_REVISIONS&o=MESSAGES&o=DETAILED_LABELS",
          "accounts/?q=is:active&n=500&o=DETAILS&o=ALL_EMAILS",
          "groups/?o=MEMBERS&o=INCLUDES");

  private final GerritEndToEnd test;
  private final Programs programs;
  private final Report report;
  private final Path directory;
  private final Path root;
  private final Path jar;
  private final GerritNode node;
  private final List<String> changes = new ArrayList<>();
  private String state;

  Migration(
      GerritEndToEnd test,
      Programs programs,
      Report report,
      Path war,
      Path directory,
      Path root,
      Path jar)
      throws IOException {
    this.test = test;
    this.programs = programs;
    this.report = report;
    this.directory = Files.createDirectories(directory.resolve("migration"));
    this.root = root;
    this.jar = jar;
    this.node = new GerritNode(programs, war, this.directory, "site");
  }

  /** Moves a site into the bucket and back. */
  void run() throws IOException, InterruptedException {
    Programs.Result launcher = launch("--version");
    if (launcher.exitCode() != 0) {
      report.skip("a site on the disk moves into a bucket and back", launcher.output().strip());
      return;
    }
    report.check("a site on the local disk", this::begin);
    report.check("way in: a first pass beside pushes, then what has changed", this::in);
    report.check("the bucket has all changes, votes, accounts, groups and refs", this::arrived);
    report.check("way out: a first pass beside pushes, then what has changed", this::out);
    report.check("the disk has all of it again, with the new work", this::returned);
  }

  private Programs.Result launch(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(root.resolve("jgit-s3").toString()));
    command.addAll(Arrays.asList(arguments));
    return programs.run(directory, S3Server.CREDENTIALS, command);
  }

  /** Runs the command line on the store that the site names. */
  private String command(String... arguments) throws IOException, InterruptedException {
    return launch(
            Stream.concat(Stream.of("--config", node.settings().toString()), Stream.of(arguments))
                .toArray(String[]::new))
        .ok();
  }

  private void begin() throws Exception {
    node.configure(null, jar);
    node.nameStore(PREFIX, test.store.port());
    node.initialise();
    node.start();
    node.put("accounts/self/emails/admin@example.com", "{\"no_confirmation\":true}");
    node.put("accounts/writer", "{\"email\":\"writer@example.com\"}");
    node.put("groups/writers", "{\"members\":[\"writer\"]}");
    GerritEndToEnd.create(node, P, "MERGE_IF_NECESSARY");
    GerritEndToEnd.create(node, QUIET, "MERGE_IF_NECESSARY");
    WorkCopy work = test.clone(node, P);
    work(work, "before");
    String open = work.newChange("open");
    node.post(
        GerritEndToEnd.change(open) + "/revisions/current/review",
        """
        {"labels":{"Code-Review":1},"comments":{"open":[{"line":1,"message":"why?"}]}}""");
    changes.add(open);
  }

  /** Makes a change that is voted on and submitted. */
  private void work(WorkCopy work, String file) throws Exception {
    String change = work.newChange(file);
    GerritEndToEnd.approve(node, change);
    GerritEndToEnd.submit(node, change);
    changes.add(change);
  }

  /** Runs a pass while a client pushes changes. */
  private void besidePushes(String prefix, Callable<String> pass) throws Exception {
    WorkCopy work = test.clone(node, P);
    AtomicInteger pushed = new AtomicInteger();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<String> said = thread.submit(pass);
      do {
        work(work, prefix + pushed.incrementAndGet());
      } while (!said.isDone());
      Report.say("  " + last(said.get()) + ", beside " + pushed + " changes");
    } finally {
      thread.shutdownNow();
    }
    changes.add(work.newChange(prefix + "last"));
    node.put("accounts/" + prefix + "last", "{}");
  }

  private static String last(String said) {
    return said.strip().lines().reduce("", (before, line) -> line);
  }

  private void in() throws Exception {
    String git = node.projects().toString();
    besidePushes("in-", () -> command("import-site", git));
    state = state();
    node.stop();
    copiesWhatChanged(command("import-site", "--update", git));
    equal(ofBucket(), ofDisk(node.projects()), "refs");
    Files.move(node.projects(), node.projects().resolveSibling("git-before"));
    node.addModules(jar);
    node.start();
  }

  private static void copiesWhatChanged(String said) {
    for (String line : List.of(P + ": updated", "All-Users: updated", QUIET + ": equal")) {
      that(said.contains(line), line + ": " + said);
    }
    Report.say("  " + last(said));
  }

  private void arrived() throws Exception {
    equal(state(), state, "changes, votes, comments, accounts and groups");
    WorkCopy work = test.clone(node, P);
    List<String> listed = sorted(work.git("ls-remote", "origin").replace('\t', ' '));
    equal(listed, ofDisk(node.projects().resolveSibling("git-before")).get(P), "refs of Gerrit");
    test.fsck(node, P);
    node.put("accounts/late", "{\"email\":\"late@example.com\"}");
    node.put("groups/writers/members/late", "{}");
    work(work, "in-the-bucket");
  }

  private void out() throws Exception {
    Path git = node.projects();
    Path exported = git.resolveSibling("git-exported");
    besidePushes("out-", () -> command("export-site", exported.toString()));
    state = state();
    node.stop();
    copiesWhatChanged(command("export-site", "--update", exported.toString()));
    equal(ofDisk(exported), ofBucket(), "refs");
    for (Path repository : repositories(exported)) {
      test.fsck(repository.toString());
    }
    Files.move(exported, git);
    node.removeModules();
    node.start();
  }

  private void returned() throws Exception {
    int requests = test.store.settledRequests().size();
    equal(state(), state, "changes, votes, comments, accounts and groups");
    work(test.clone(node, P), "on-the-disk-again");
    equal(test.store.settledRequests().size(), requests, "requests");
    node.stop();
  }

  /** All that Gerrit says about the site. */
  private String state() throws IOException, InterruptedException {
    StringBuilder said = new StringBuilder();
    List<String> paths = new ArrayList<>(EVERYTHING);
    changes.forEach(change -> paths.add(GerritEndToEnd.change(change) + "/comments"));
    for (String path : paths) {
      GerritNode.Answer answer = node.rest("admin", "GET", path, null);
      answer.ok();
      said.append(answer.body());
    }
    return said.toString();
  }

  /** Refs of each repository in the store, {@code HEAD} among them. */
  private SortedMap<String, List<String>> ofBucket() throws IOException, InterruptedException {
    SortedMap<String, List<String>> refs = new TreeMap<>();
    for (String name : command("list").lines().toList()) {
      refs.put(name, sorted(command("refs", name)));
    }
    return refs;
  }

  /** Refs of each repository below a directory. */
  private SortedMap<String, List<String>> ofDisk(Path git)
      throws IOException, InterruptedException {
    SortedMap<String, List<String>> refs = new TreeMap<>();
    for (Path repository : repositories(git)) {
      String name = git.relativize(repository).toString();
      refs.put(
          name.substring(0, name.length() - ".git".length()),
          sorted(programs.run(repository, "git", "show-ref", "--head").ok()));
    }
    return refs;
  }

  private static List<String> sorted(String lines) {
    return lines.lines().sorted().toList();
  }

  private static List<Path> repositories(Path git) throws IOException {
    try (Stream<Path> files = Files.walk(git)) {
      return files.filter(file -> file.toString().endsWith(".git")).sorted().toList();
    }
  }
}

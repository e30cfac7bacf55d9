// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jgits3.gerrit.e2e.tools.Balancer;
import org.jgits3.gerrit.e2e.tools.GerritWar;
import org.jgits3.gerrit.e2e.tools.Json;
import org.jgits3.gerrit.e2e.tools.Programs;
import org.jgits3.gerrit.e2e.tools.SlowProxy;
import org.jgits3.gerrit.e2e.writers.Together;

/** Drives one or two real Gerrits on one bucket by REST, SSH and git. */
public final class GerritEndToEnd {
  private static final List<String> STRATEGIES =
      List.of(
          "MERGE_IF_NECESSARY",
          "FAST_FORWARD_ONLY",
          "REBASE_IF_NECESSARY",
          "REBASE_ALWAYS",
          "MERGE_ALWAYS",
          "CHERRY_PICK");
  private static final List<String> OFFLINE =
      List.of(
          "ChangeExternalIdCaseSensitivity --batch",
          "DeleteZombieDrafts",
          "MigrateLabelFunctions",
          "MigratePasswordsToTokens",
          "ReduceMaxTokenLifetime --lifetime 365d");
  private static final int CLIENTS = 6;
  private static final int CHANGES_OF_CLIENT = 5;
  private static final int ROUNDS = 3;
  private static final String P = "tools/p";

  /**
   * Most requests of an offline reindex for each project, without validations, whose number depends
   * on the time; there are 0.1 more for each change.
   */
  private static final int REINDEX_PROJECT = 10;

  final S3Server store;
  final GerritNode a;
  final Path key;
  private final Programs programs;
  private final Path directory;
  private final Path root;
  private final Report report;
  private WorkCopy work;
  private int clones;

  private GerritEndToEnd(
      Programs programs,
      Path directory,
      Path root,
      Report report,
      S3Server store,
      GerritNode a,
      Path key) {
    this.programs = programs;
    this.directory = directory;
    this.root = root;
    this.report = report;
    this.store = store;
    this.a = a;
    this.key = key;
  }

  /** Runs everything, and exits with 0 if nothing failed. */
  public static void main(String[] args) throws Exception {
    Set<String> options = new HashSet<>();
    String gerrit = "3.13.5";
    String from = null;
    int nodes = 1;
    int changes = 500;
    int projects = 5_000;
    int rate = 50;
    int seconds = 60;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--gerrit" -> gerrit = args[++i];
        case "--from" -> from = args[++i];
        case "--local",
            "--keep",
            "--brief",
            "--smoke",
            "--trace",
            "--bench",
            "--scale",
            "--hostile" ->
            options.add(args[i]);
        case "--changes" -> changes = Integer.parseInt(args[++i]);
        case "--projects" -> projects = Integer.parseInt(args[++i]);
        case "--rate" -> rate = Integer.parseInt(args[++i]);
        case "--seconds" -> seconds = Integer.parseInt(args[++i]);
        case "--nodes" -> nodes = Integer.parseInt(args[++i]);
        default -> usage("unknown option " + args[i]);
      }
    }
    if (nodes != 2 && (from != null || options.contains("--smoke"))) {
      usage("--from and --smoke need --nodes 2");
    }
    if (nodes < 1 || nodes > 2 || options.contains("--local") && nodes > 1) {
      usage("--nodes 1 or 2, and 1 with --local");
    }
    if (options.contains("--hostile") && options.contains("--local")) {
      usage("--hostile needs a bucket");
    }
    Path root = Path.of(System.getProperty("jgits3.e2e.root"));
    Path jars = Path.of(System.getProperty("jgits3.e2e.jars"));
    Path war = GerritWar.assemble(jars, gerrit);
    Path first = war;
    if (from != null) {
      first = GerritWar.assemble(root.resolve("target/gerrit-" + from + "/jars"), from);
    }
    Path target = Files.createDirectories(root.resolve("jgit-s3-gerrit/target"));
    Path directory = Files.createTempDirectory(target, "e2e-");
    int exitCode;
    try (Programs programs = new Programs()) {
      Path jar = target.resolve("jgit-s3-gerrit.jar");
      Path versitygw = root.resolve("target/tools/versitygw");
      if (options.contains("--bench")) {
        new Bench(programs, directory).run(war, jar, versitygw, changes);
        exitCode = 0;
      } else if (options.contains("--scale")) {
        new Scale(programs, directory, projects, rate, seconds).run(war, jar, versitygw);
        exitCode = 0;
      } else {
        exitCode = run(programs, directory, root, List.of(first, war), nodes, options);
      }
    }
    if (exitCode == 0 && !options.contains("--keep")) {
      delete(directory);
    } else {
      Report.say("sites and logs are in " + directory);
    }
    System.exit(exitCode);
  }

  private static void usage(String fault) {
    System.err.println("e2e: " + fault);
    System.exit(2);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static int run(
      Programs programs, Path directory, Path root, List<Path> wars, int nodes, Set<String> options)
      throws Exception {
    Path jar = root.resolve("jgit-s3-gerrit/target/jgit-s3-gerrit.jar");
    boolean local = options.contains("--local");
    S3Server store =
        local ? null : new S3Server(programs, root.resolve("target/tools/versitygw"), directory);
    Report report = new Report(store, options.contains("--trace"));
    Path key = directory.resolve("key");
    programs
        .run(directory, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.toString())
        .ok();
    GerritNode a = new GerritNode(programs, wars.getFirst(), directory, "a");
    a.configure(store, jar);
    GerritEndToEnd test = new GerritEndToEnd(programs, directory, root, report, store, a, key);
    report.check(
        "init, reindex and start of a new site",
        () -> {
          a.initialise();
          a.start();
          a.put("accounts/self/emails/admin@example.com", "{\"no_confirmation\":true}");
          a.post("accounts/self/sshkeys", Files.readString(directory.resolve("key.pub")));
        });
    if (options.contains("--hostile")) {
      test.onTwoNodes(wars, jar, both -> both.hostile());
      return report.end();
    }
    test.projects();
    if (!local) {
      test.metrics();
    }
    test.people();
    test.reviews();
    if (options.contains("--smoke")) {
      test.onTwoNodes(wars, jar, TwoNodes::smoke);
      return report.end();
    }
    if (!options.contains("--brief")) {
      test.refs();
      test.strategies();
      test.concurrent();
      test.maintenance();
    }
    if (nodes == 2) {
      test.onTwoNodes(wars, jar, both -> both.run(options.contains("--brief")));
    } else {
      report.skip("two nodes", local ? "a local disk has one" : "only with --nodes 2");
    }
    if (!local) {
      new Refusals(programs, report, store, a, directory, root, jar).run();
    }
    if (!local && !options.contains("--brief")) {
      report.check(
          "the first account of a new site for development is its administrator",
          () -> test.development(wars.getLast(), jar));
      new Migration(test, programs, report, wars.getLast(), directory, root, jar).run();
    }
    return report.end();
  }

  /** Cases of two nodes. */
  private interface Cases {
    void run(TwoNodes both) throws InterruptedException;
  }

  private void onTwoNodes(List<Path> wars, Path jar, Cases cases) throws Exception {
    GerritNode b = new GerritNode(programs, wars.getFirst(), directory, "b");
    try (SlowProxy proxy = SlowProxy.passing(store.port())) {
      b.configure(store, proxy.port(), jar);
      TwoNodes both = new TwoNodes(this, b, proxy, report, P);
      cases.run(both);
      if (!wars.getFirst().equals(wars.getLast())) {
        both.upgrade(wars.getLast());
      }
      b.stop();
    }
  }

  /** Finds HAProxy; empty if it is not installed. */
  Optional<Path> haproxy() {
    return Balancer.program(root);
  }

  /** Starts HAProxy before two nodes, and waits until it has found one that is ready. */
  Balancer balancer(GerritNode b) throws Exception {
    Balancer.Node first = new Balancer.Node(a.httpPort(), a.sshPort());
    Balancer.Node second = new Balancer.Node(b.httpPort(), b.sshPort());
    Balancer balancer =
        new Balancer(programs, haproxy().orElseThrow(), directory, root, first, second);
    OnTwoNodes.eventually("HAProxy is ready", Balancer.MOST, balancer::isReady);
    return balancer;
  }

  /** Here {@code init} would make an administrator, if it found no account. */
  private void development(Path war, Path jar) throws Exception {
    GerritNode node = new GerritNode(programs, war, directory, "development");
    node.configure(store, jar);
    node.add(
        """
        [auth]
          type = DEVELOPMENT_BECOME_ANY_ACCOUNT
        [s3]
          store = s3://%s/development
        """
            .formatted(S3Server.BUCKET));
    node.initialise();
    node.start();
    try {
      String rights = "/accounts/self/capabilities/";
      String first = node.newAccount();
      equal(node.browse(first, rights + "administrateServer"), 200, "the first account");
      equal(node.browse(node.newAccount(), rights + "administrateServer"), 404, "another one");
    } finally {
      node.stop();
    }
  }

  WorkCopy clone(GerritNode node, String project) throws Exception {
    clones++;
    return new WorkCopy(programs, node, directory.resolve("work-" + clones), project);
  }

  static String id(String project) {
    return project.replace("/", "%2F");
  }

  static String change(String name) {
    return "changes/" + id(name);
  }

  static void create(GerritNode node, String project, String strategy) throws Exception {
    node.put(
        "projects/" + id(project),
        "{\"create_empty_commit\":true,\"submit_type\":\"%s\"}".formatted(strategy));
  }

  static void approve(GerritNode node, String change) throws Exception {
    node.post(
        change(change) + "/revisions/current/review",
        "{\"labels\":{\"Code-Review\":2},\"message\":\"good\"}");
  }

  /** Bars the members of a group from a project. */
  static void bar(GerritNode node, String project, String group) throws Exception {
    node.post(
        "projects/" + id(project) + "/access",
        """
        {"add":{"refs/*":{"permissions":{"read":{"rules":{"%s":{"action":"BLOCK"}}}}}}}"""
            .formatted(node.get("groups/" + group).at("id").text()));
  }

  static String status(GerritNode node, String change) throws Exception {
    return node.get(change(change) + "/detail").at("status").text();
  }

  static void submit(GerritNode node, String change) throws Exception {
    node.post(change(change) + "/submit", "{}");
    equal(status(node, change), "MERGED", "status");
  }

  private void projects() throws InterruptedException {
    report.check(
        "projects are created, listed and cloned",
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            String name = i == 0 ? P : "tools/other-" + i;
            report.counted("create project", 9, 8, 2, () -> create(a, name, "MERGE_IF_NECESSARY"));
          }
          that(a.get("projects/").has(P), "the list has the project");
          equal(a.status("admin", "PUT", "projects/" + id(P), "{}"), 409, "again");
          work = clone(a, P);
        });
  }

  private void metrics() throws InterruptedException {
    report.check(
        "requests and memory are shown in Gerrit's metrics",
        () -> {
          Json shown = a.get("config/server/metrics/?prefix=s3/");
          that(shown.at("s3/requests").at("count").number() > 0, "requests: " + shown);
          that(shown.at("s3/memory/manifests").at("value").number() > 0, "memory: " + shown);
          equal(shown.at("s3/failures").at("count").number(), 0, "failures");
        });
  }

  private void reviews() throws InterruptedException {
    report.check(
        "push for review, detail, query, vote, submit, fetch",
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            String file = "round-" + i;
            work.renew();
            work.commit(file, file + "\n");
            String[] change = new String[1];
            report.counted("push for review", 7, 10, 2, () -> change[0] = work.push());
            report.counted(
                "change detail", 2, 2, 1, () -> equal(status(a, change[0]), "NEW", "status"));
            report.counted(
                "query",
                1,
                1,
                1,
                () -> equal(a.get("changes/?q=status:open").size(), 1, "open changes"));
            report.counted("vote and message", 4, 4, 1, () -> approve(a, change[0]));
            report.counted("submit", 4, 7, 1, () -> a.post(change(change[0]) + "/submit", "{}"));
            equal(status(a, change[0]), "MERGED", "status");
            report.counted("fetch, new", 4, 2, 2, () -> work.git("fetch", "-q", "origin"));
            that(work.git("ls-tree", "--name-only", "origin/master").contains(file), file);
            report.counted("fetch, nothing new", 4, 2, 2, () -> work.git("fetch", "-q", "origin"));
            report.counted("the same by SSH", 3, 2, 2, () -> a.fetchBySsh(work, key, P, "master"));
          }
        });
    report.check(
        "push for review by SSH",
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            work.renew();
            work.commit("by-ssh", i + "\n");
            String[] change = new String[1];
            report.counted("push by SSH", 6, 6, 2, () -> change[0] = a.pushBySsh(work, key, P));
            equal(status(a, change[0]), "NEW", "status");
            a.post(change(change[0]) + "/abandon", "{}");
          }
        });
  }

  private void refs() throws InterruptedException {
    report.check(
        "branches and tags come and go",
        () -> {
          String project = "projects/" + id(P);
          a.put(project + "/branches/topic", "{\"revision\":\"master\"}");
          a.put(project + "/tags/v1", "{\"revision\":\"master\",\"message\":\"one\"}");
          String listed = work.git("ls-remote", "origin");
          that(listed.contains("refs/heads/topic") && listed.contains("refs/tags/v1^{}"), listed);
          equal(a.status("admin", "DELETE", project + "/branches/topic"), 204, "gone");
          equal(a.status("admin", "DELETE", project + "/tags/v1"), 204, "gone");
          listed = work.git("ls-remote", "origin");
          that(!listed.contains("topic") && !listed.contains("refs/tags/"), listed);
          equal(
              a.status("admin", "PUT", project + "/branches/none", "{\"revision\":\"none\"}"),
              422,
              "a branch from nothing");
        });
  }

  private void people() throws InterruptedException {
    report.check(
        "groups and permissions: who is barred does not see the project, others do",
        () -> {
          for (String user : List.of("in", "out")) {
            a.put("accounts/" + user, "{\"email\":\"%s@example.com\"}".formatted(user));
          }
          a.put("groups/barred", "{\"members\":[\"out\"]}");
          String project = "projects/" + id("tools/other-1");
          equal(a.status("out", "GET", project), 200, "before");
          bar(a, "tools/other-1", "barred");
          equal(a.status("in", "GET", project), 200, "other");
          equal(a.status("out", "GET", project), 404, "barred");
          equal(a.status("admin", "DELETE", "groups/barred/members/out"), 204, "left");
          equal(a.status("out", "GET", project), 200, "barred no more");
        });
  }

  private void strategies() throws InterruptedException {
    for (String strategy : STRATEGIES) {
      report.check(
          "submit " + strategy,
          () -> {
            String project = "strategies/" + strategy;
            create(a, project, strategy);
            WorkCopy copy = clone(a, project);
            String one = copy.newChange("one");
            String two = copy.newChange("two");
            approve(a, one);
            submit(a, one);
            approve(a, two);
            if (strategy.equals("FAST_FORWARD_ONLY")) {
              equal(a.status("admin", "POST", change(two) + "/submit", "{}"), 409, "not ahead");
              a.post(change(two) + "/rebase", "{}");
              approve(a, two);
            }
            submit(a, two);
            copy.renew();
            equal(copy.git("ls-tree", "--name-only", "HEAD"), "one\ntwo", "files");
            boolean merges = !copy.git("log", "--merges", "--format=%H").isEmpty();
            equal(merges, strategy.startsWith("MERGE"), "merge commits");
          });
    }
  }

  private void concurrent() throws InterruptedException {
    report.check(
        CLIENTS * CHANGES_OF_CLIENT + " changes by " + CLIENTS + " clients at once",
        () -> {
          create(a, "many", "MERGE_IF_NECESSARY");
          List<Callable<List<String>>> clients = new ArrayList<>();
          for (int client = 0; client < CLIENTS; client++) {
            WorkCopy copy = clone(a, "many");
            String prefix = "client-" + client + "-";
            clients.add(
                () -> {
                  List<String> mine = new ArrayList<>();
                  for (int i = 0; i < CHANGES_OF_CLIENT; i++) {
                    String change = copy.newChange(prefix + i);
                    approve(a, change);
                    submit(a, change);
                    mine.add(change);
                  }
                  return mine;
                });
          }
          Set<String> changes = new HashSet<>();
          Together.all(clients).forEach(changes::addAll);
          equal(changes.size(), CLIENTS * CHANGES_OF_CLIENT, "numbers of changes");
          WorkCopy copy = clone(a, "many");
          equal(
              copy.git("ls-tree", "--name-only", "HEAD").lines().count(),
              (long) CLIENTS * CHANGES_OF_CLIENT,
              "files");
        });
  }

  void fsck(GerritNode node, String project) throws Exception {
    fsck(node.url(project));
  }

  /** Checks all that a mirror clone gets. */
  void fsck(String url) throws Exception {
    clones++;
    Path mirror = Files.createDirectories(directory.resolve("mirror-" + clones));
    String user = "http.extraHeader=X-Forwarded-User: admin";
    List<String> clone = List.of("git", "-c", user, "clone", "-q", "--mirror", url, ".");
    programs.run(mirror, WorkCopy.ENVIRONMENT, clone).ok();
    // HEAD of All-Projects leads to refs/meta/config, which fsck takes for a fault.
    programs.run(mirror, "git", "symbolic-ref", "HEAD", "refs/heads/master").ok();
    programs.run(mirror, "git", "fsck", "--full", "--strict").ok();
  }

  /** The packs of a project; none if it is on a local disk. */
  private List<String> packs(String name) throws Exception {
    return store == null ? List.of() : store.packs(name);
  }

  /** Collects a project, which replaces all its packs. */
  private void collect(String name) throws Exception {
    WorkCopy copy = clone(a, name);
    for (int i = 0; i < ROUNDS; i++) {
      copy.newChange("collected-" + i);
    }
    List<String> before = packs(name);
    String output = a.ssh(key, "gerrit gc --show-progress " + name);
    that(output.contains("collecting garbage for \"" + name + "\""), output);
    equal(output.lines().filter("done."::equals).count(), 1L, output);
    List<String> after = packs(name);
    Report.say("  packs of " + name + ": " + before + ", then " + after);
    if (store != null) {
      that(!before.isEmpty() && !after.isEmpty(), "packs");
      that(Collections.disjoint(before, after), "not replaced");
    }
    fsck(a, name);
  }

  private void maintenance() throws InterruptedException {
    report.check(
        "gerrit gc by SSH, then a mirror clone and fsck",
        () -> {
          for (String name : List.of("many", P)) {
            collect(name);
          }
        });
    report.check(
        "SSH: version, projects, query",
        () -> {
          that(a.ssh(key, "gerrit version").startsWith("gerrit version"), "version");
          that(a.ssh(key, "gerrit ls-projects").lines().toList().contains(P), "project");
          that(
              a.ssh(key, "gerrit query --format=JSON status:merged limit:5").contains("rowCount"),
              "query");
        });
    report.check(
        "offline programs that change projects",
        () -> {
          a.stop();
          for (String program : OFFLINE) {
            String[] words = program.split(" ");
            a.offline(words[0], Arrays.copyOfRange(words, 1, words.length));
          }
          a.start();
          that(a.ssh(key, "gerrit ls-projects").lines().toList().contains(P), "project");
        });
    report.check(
        "offline reindex and restart: everything is there",
        () -> {
          int merged = a.get("changes/?q=status:merged&n=500").size();
          int changes = a.get("changes/?q=(is:open+OR+is:closed)&n=1000").size();
          int projects = a.get("projects/").size();
          a.stop();
          List<String> all = report.requests(a::reindex);
          long requests = all.stream().filter(request -> !request.contains("/manifest ")).count();
          Report.say(
              "  %d requests, %d of them for objects, to index %d changes of %d projects"
                  .formatted(all.size(), requests, changes, projects));
          that(requests <= REINDEX_PROJECT * projects + changes / 10, "requests: " + requests);
          a.start();
          equal(a.get("changes/?q=status:merged&n=500").size(), merged, "merged changes");
          String change = work.newChange("after-restart");
          approve(a, change);
          submit(a, change);
        });
  }
}

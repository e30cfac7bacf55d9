// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.approve;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.bar;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.change;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.create;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.id;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.status;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.submit;
import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.gerrit.e2e.tools.Json;
import org.jgits3.gerrit.e2e.tools.SlowProxy;
import org.jgits3.gerrit.e2e.writers.Together;
import org.jgits3.testing.Holds;

/** Two Gerrits on one bucket: each shows what the other one did, whatever happens to one. */
final class TwoNodes extends OnTwoNodes {
  private static final int RACES = 5;
  private static final int ROUNDS = 3;
  private static final int BURST = 12;

  /** Changes that a node has to index, more than one thread of its follower takes at once. */
  private static final int MANY = 40;

  /** Times that a node is killed, until it is in the midst of something. */
  private static final int KILLS = 3;

  /**
   * Rounds of a follower until it shows what was acknowledged before: one may have begun earlier.
   */
  private static final int PROMISED = 2;

  /** Exit code of a JVM that a signal ended in order. */
  private static final int SIGTERM = 143;

  /**
   * Errors in the log for requests that end while Gerrit stops. Its log of requests and the
   * connections are closed by then, so log4j cannot log the request, or Jetty cannot send the
   * answer; the client takes it for not acknowledged.
   */
  private static final Pattern ENDED_LATE =
      Pattern.compile(
          "log4j:ERROR Attempted to append to closed appender named \\[httpd_log]\\."
              + "|ERROR \\S+\\.RestApiServlet : Error in .+, response already committed\n"
              + "org\\.eclipse\\.jetty\\.io\\.EofException\\b");

  /** Rounds of a follower after which it has looked at its own writes, which takes 5 s. */
  private static final int LATER = 8;

  /** Time in which a node indexes what it writes, so that its follower comes later. */
  private static final Duration SOON = Duration.ofSeconds(4);

  private final Report report;
  private final String project;
  private WorkCopy work;

  TwoNodes(GerritEndToEnd test, GerritNode b, SlowProxy proxy, Report report, String project) {
    super(test, b, proxy);
    this.report = report;
    this.project = project;
  }

  /** Runs the cases that show each of the two following the other, in some minutes. */
  void smoke() throws InterruptedException {
    join();
    report.check("what one acknowledged the other shows at once", this::fresh);
    report.check("a change is followed from its creation to its deletion", this::oneChange);
    report.check("accounts: name, preferences, token, SSH key", this::accounts);
    report.check("groups and permissions are revoked on the other", this::people);
    report.check("events of one are streamed by the other, once each", this::events);
    report.check("a session begun on one is good on the other", this::sessions);
    report.check("projects are moved and deleted by administrators", this::projectLife);
    report.check("kill -9 of a node in mid-index: it catches up", this::killInMidIndex);
    compareIndexes();
  }

  /**
   * Has users, other writers of the bucket and the network do their worst: both nodes serve all the
   * same.
   */
  void hostile() throws InterruptedException {
    report.check("a second node joins, and the first begins to follow", this::joinNodes);
    new HostileUsers(this).run(report);
    new HostileEvents(this).run(report);
    new ProjectsElsewhere(this).run(report);
    new HostileBrowsers(this).run(report);
    new LateNodes(this).run(report);
  }

  private void join() throws InterruptedException {
    report.check(
        "a second node joins, and the first begins to follow",
        () -> {
          joinNodes();
          work = test.clone(a, project);
          equal(state(b), state(a), "indexes");
        });
  }

  void run(boolean brief) throws InterruptedException {
    join();
    report.check("what one acknowledged the other shows at once", this::fresh);
    report.check("a change is followed from its creation to its deletion", this::oneChange);
    report.check("what is made of a change is followed", this::derived);
    report.check("stars, drafts and edits of one are found by the other", this::drafts);
    report.check("accounts: name, preferences, token, SSH key", this::accounts);
    report.check("groups and permissions are revoked on the other", this::people);
    report.check("a group that cannot be read holds up no other", this::unreadableGroup);
    report.check("projects: new, described", this::projects);
    report.check("events of one are streamed by the other, once each", this::events);
    report.check("events of a private change are for its readers", this::privateEvents);
    report.check("a session begun on one is good on the other", this::sessions);
    report.check("projects are moved and deleted by administrators", this::projectLife);
    report.check("a node does not index again what it has indexed itself", this::indexedOnce);
    report.check(
        "submit on both at once: one commit, the other one gets 200 or 409", () -> races(b, RACES));
    report.check(
        "submit twice on one: one commit, the other one gets 200 or 409",
        () -> races(a, 2 * RACES));
    report.check("fast-forward on both at once: one wins, the other one is told", this::rivals);
    report.check("writes by both at once end in equal indexes", this::both);
    report.check("a paused node catches up", this::paused);
    report.check("kill -9 of a node in mid-index: it catches up", this::killInMidIndex);
    report.check(
        "a node that lost its position compares its indexes",
        () -> new LostPosition(this, project).run());
    new Outages(this, project).run(report);
    if (!brief) {
      new Numbers(this).run(report);
      new OptionalState(this).run(report);
      new Administration(this, project).run(report);
    }
    report.check("kill -9 in mid-submit: the other goes on", this::killInMidSubmit);
    report.check("a node is stopped under load: nothing acknowledged is lost", this::stopUnderLoad);
    new Balanced(this, project).run(report);
    compareIndexes();
  }

  private void compareIndexes() throws InterruptedException {
    report.check(
        "in the end both indexes are equal",
        () -> {
          equalIndexes(CATCH_UP);
          Report.say("  changes: " + state(a).size());
          for (GerritNode node : List.of(a, b)) {
            Report.say("  follower: " + node.get("config/server/s3-follower").value());
            Json shown = node.get("config/server/metrics/?prefix=s3/follower/");
            that(shown.at("s3/follower/behind").at("value").number() >= 0, "metrics: " + shown);
          }
        });
  }

  private static String version(GerritNode node) throws Exception {
    return node.get("config/server/version").value().getAsString();
  }

  /** Upgrades one node after the other, while the other one serves. */
  void upgrade(Path war) throws InterruptedException {
    report.check(
        "one node after the other is upgraded to " + war.getFileName(),
        () -> {
          for (GerritNode node : List.of(a, b)) {
            GerritNode other = node == a ? b : a;
            String before = version(node);
            node.stop();
            node.upgrade(war);
            String change =
                test.clone(other, project).newChange("beside-" + (node == a ? "a" : "b"));
            node.start();
            ready(node);
            Report.say("  " + before + " is now " + version(node));
            that(!before.equals(version(node)), "not another version");
            lags("change", () -> finds(node, change, "status:new"));
            approve(node, change);
            submit(node, change);
            lags("submitted", () -> finds(other, change, "status:merged"));
          }
          equalIndexes(LAG);
          test.fsck(a, project);
        });
  }

  private static void deletes(GerritNode node, String path) throws Exception {
    equal(node.status("admin", "DELETE", path), 204, "deletion of " + path);
  }

  private void fresh() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      String change = work.newChange("fresh-" + i);
      equal(status(b, change), "NEW", "on the other node");
      approve(b, change);
      submit(a, change);
      equal(status(b, change), "MERGED", "on the other node");
      String branch = "projects/" + id(project) + "/branches/";
      a.put(branch + "fresh-" + i, "{\"revision\":\"master\"}");
      String tip = b.get(branch + "fresh-" + i).at("revision").text();
      equal(a.get(branch + "master").at("revision").text(), tip, "branch");
      String listed = work.git("ls-remote", b.url(project), "refs/heads/master");
      that(listed.startsWith(tip), "by git: " + listed);
    }
  }

  private void oneChange() throws Exception {
    String change = work.newChange("followed");
    follows(b, "created", () -> finds(b, change, "status:new"));
    equal(b.get("changes/" + number(change)).at("status").text(), "NEW", "by its number");
    work.amend("followed", "another text\n");
    equal(work.push(), change, "change");
    String commit = work.git("rev-parse", "HEAD");
    follows(b, "amended", () -> finds(b, change, "commit:" + commit));
    a.post(
        change(change) + "/revisions/current/review",
        "{\"comments\":{\"followed\":[{\"line\":1,\"message\":\"whatsoever\"}]}}");
    Json comment = a.get(change(change) + "/comments").at("followed").at(0);
    equal(comment.at("message").text(), "whatsoever", "comment");
    equal(comment.at("patch_set").number(), 2, "patch set");
    follows(b, "commented", () -> finds(b, change, "comment:whatsoever"));
    a.put(change(change) + "/topic", "{\"topic\":\"following\"}");
    follows(b, "topic", () -> finds(b, change, "topic:following"));
    approve(b, change);
    follows(a, "voted on B, seen on A", () -> finds(a, change, "label:Code-Review=2"));
    submit(b, change);
    follows(a, "submitted on B, seen on A", () -> finds(a, change, "status:merged"));
    String unwanted = work.newChange("unwanted");
    follows(b, "created", () -> finds(b, unwanted, "status:new"));
    a.post(change(unwanted) + "/abandon", "{}");
    follows(b, "abandoned", () -> finds(b, unwanted, "status:abandoned"));
    a.post(change(unwanted) + "/restore", "{}");
    follows(b, "restored", () -> finds(b, unwanted, "status:new"));
    deletes(a, change(unwanted));
    follows(b, "deleted", () -> b.get("changes/?q=change:" + number(unwanted)).size() == 0);
    equal(b.status("admin", "GET", change(unwanted)), 404, "deleted change");
  }

  /** Checks that a node shows what another one has acknowledged, within the promised rounds. */
  private static void follows(GerritNode node, String what, Callable<Boolean> condition)
      throws Exception {
    int before = rounds(node);
    lags(
        what,
        () -> {
          int passed = rounds(node) - before;
          boolean shown = condition.call();
          that(shown || passed < PROMISED, what + ": not after " + passed + " rounds");
          return shown;
        });
  }

  private void derived() throws Exception {
    a.put("projects/" + id(project) + "/branches/derived", "{\"revision\":\"master\"}");
    String change = work.newChange("derived");
    String behind = work.newChange("behind");
    approve(a, change);
    submit(a, change);
    a.post(change(behind) + "/rebase", "{}");
    Json revised = a.get(change(behind) + "/?o=ALL_REVISIONS");
    equal(revised.at("revisions").size(), 2, "patch sets");
    String rebased = revised.at("current_revision").text();
    lags("rebased", () -> finds(b, behind, "commit:" + rebased));
    String pick = "{\"destination\":\"derived\",\"message\":\"picked\"}";
    String picked = made(change(change) + "/revisions/current/cherrypick", pick);
    lags("cherry-picked", () -> finds(b, picked, "branch:derived+status:new"));
    String reverted = made(change(change) + "/revert", "{}");
    lags("reverted", () -> finds(b, reverted, "status:new+revertof:" + number(change)));
    for (String each : List.of(behind, picked, reverted)) {
      approve(a, each);
      submit(a, each);
    }
    work.renew();
    String files = work.git("ls-tree", "--name-only", "HEAD");
    that(files.contains("behind") && !files.contains("derived"), "reverted: " + files);
    files = work.git("ls-tree", "--name-only", "origin/derived");
    that(files.contains("derived"), "picked: " + files);
  }

  /** Makes a change of another one on the first node, and returns its name. */
  private String made(String path, String how) throws Exception {
    return project + "~" + a.post(path, how).at("_number").number();
  }

  private void drafts() throws Exception {
    String change = work.newChange("drafted");
    lags("created", () -> finds(b, change, "status:new"));
    a.rest("admin", "PUT", "accounts/self/starred.changes/" + number(change), "{}");
    lags("starred", () -> finds(b, change, "is:starred"));
    deletes(a, "accounts/self/starred.changes/" + number(change));
    lags("star removed", () -> !finds(b, change, "is:starred"));
    a.put(
        change(change) + "/revisions/current/drafts",
        "{\"path\":\"drafted\",\"line\":1,\"message\":\"draft\"}");
    lags("draft", () -> finds(b, change, "has:draft"));
    a.rest("admin", "PUT", change(change) + "/edit/drafted", "edited\n");
    lags("edit", () -> finds(b, change, "has:edit"));
    deletes(a, change(change) + "/edit");
    lags("edit removed", () -> !finds(b, change, "has:edit"));
    a.rest("admin", "PUT", change(change) + "/edit/drafted", "from the editor\n");
    a.rest("admin", "POST", change(change) + "/edit:publish", "{}");
    equal(a.get(change(change) + "/?o=ALL_REVISIONS").at("revisions").size(), 2, "patch sets");
    approve(a, change);
    submit(a, change);
    work.renew();
    equal(work.git("show", "HEAD:drafted"), "from the editor", "text");
  }

  private void accounts() throws Exception {
    a.put("accounts/moving", "{\"email\":\"moving@example.com\"}");
    lags("new account", () -> b.get("accounts/?q=username:moving").size() == 1);
    a.put("accounts/moving/name", "{\"name\":\"Quicksilver\"}");
    lags("name", () -> b.get("accounts/?q=name:quicksilver").size() == 1);
    a.put("accounts/moving/emails/second@example.com", "{\"no_confirmation\":true}");
    lags("email", () -> b.get("accounts/?q=email:second@example.com").size() == 1);
    b.get("accounts/moving/preferences");
    a.put("accounts/moving/preferences", "{\"changes_per_page\":50}");
    lags(
        "preferences",
        () -> b.get("accounts/moving/preferences").at("changes_per_page").number() == 50);
    equal(b.get("accounts/moving/tokens").size(), 0, "tokens");
    a.put("accounts/moving/tokens/one", "{}");
    lags("token", () -> b.get("accounts/moving/tokens").size() == 1);
    deletes(a, "accounts/moving/tokens/one");
    lags("token removed", () -> b.get("accounts/moving/tokens").size() == 0);
    String keys = "accounts/self/sshkeys";
    that(b.ssh(key, "gerrit version").startsWith("gerrit"), "SSH key");
    deletes(a, keys + "/" + a.get(keys).at(0).at("seq").number());
    lags("SSH key removed", () -> !b.admits(key));
    a.post(keys, Files.readString(key.resolveSibling("key.pub")));
    lags("SSH key added", () -> b.admits(key));
    a.put("accounts/moving/active", "{}");
    deletes(a, "accounts/moving/active");
    lags("deactivated", () -> b.get("accounts/?q=is:inactive+username:moving").size() == 1);
  }

  @Holds(
      "LocalState, GroupCaches: A cache is emptied after the repository was validated, and after "
          + "the index that it reads")
  private void people() throws Exception {
    String barred = "projects/" + id("two/barred");
    create(a, "two/barred", "MERGE_IF_NECESSARY");
    lags("project", () -> b.status("out", "GET", barred) == 200);
    a.put("groups/outcasts", "{}");
    lags("group", () -> b.status("admin", "GET", "groups/outcasts") == 200);
    String group = a.get("groups/outcasts").at("id").text();
    bar(a, "two/barred", "outcasts");
    equal(b.status("out", "GET", barred), 200, "not a member");
    a.rest("admin", "PUT", "groups/outcasts/members/out", "{}");
    lags("member", () -> b.status("out", "GET", barred) == 404);
    deletes(a, "groups/outcasts/members/out");
    lags("member no more", () -> b.status("out", "GET", barred) == 200);
    a.put("groups/nested", "{\"members\":[\"out\"]}");
    a.rest("admin", "PUT", "groups/outcasts/groups/nested", "{}");
    lags("included", () -> b.status("out", "GET", barred) == 404);
    deletes(a, "groups/outcasts/groups/nested");
    lags("included no more", () -> b.status("out", "GET", barred) == 200);
    a.put("groups/outcasts/name", "{\"name\":\"castaways\"}");
    lags("renamed", () -> b.status("admin", "GET", "groups/castaways") == 200);
    lags("old name", () -> b.status("admin", "GET", "groups/outcasts") == 404);
    a.rest("admin", "PUT", "groups/castaways/members/out", "{}");
    lags("member", () -> b.status("out", "GET", barred) == 404);
    a.post(
        barred + "/access",
        "{\"remove\":{\"refs/*\":{\"permissions\":{\"read\":{\"rules\":{\"%s\":{}}}}}}}"
            .formatted(group));
    lags("rule removed", () -> b.status("out", "GET", barred) == 200);
  }

  private void unreadableGroup() throws Exception {
    String barred = "projects/" + id("two/sound");
    create(a, "two/sound", "MERGE_IF_NECESSARY");
    a.put("groups/spoilt", "{}");
    a.put("groups/sound", "{}");
    bar(a, "two/sound", "sound");
    lags("group", () -> b.status("admin", "GET", "groups/sound") == 200);
    lags("project", () -> b.status("out", "GET", barred) == 200);
    String spoilt = a.get("groups/spoilt").at("id").text();
    String ref = "refs/groups/" + spoilt.substring(0, 2) + "/" + spoilt;
    ObjectId before = store.empty("All-Users", ref);
    try {
      a.rest("admin", "PUT", "groups/sound/members/out", "{}");
      lags("member", () -> b.status("out", "GET", barred) == 404);
      for (GerritNode node : List.of(a, b)) {
        lags("given up", () -> givenUp(node) == 1);
        equal(node.readiness(), 200, "readiness");
      }
    } finally {
      store.set("All-Users", ref, before);
    }
    for (GerritNode node : List.of(a, b)) {
      lags("followed again", () -> givenUp(node) == 0);
    }
    equal(b.status("admin", "GET", "groups/spoilt"), 200, "readable again");
  }

  private void projects() throws Exception {
    String name = "two/new";
    String path = "projects/" + id(name);
    equal(b.status("admin", "GET", path), 404, "before it exists");
    create(a, name, "MERGE_IF_NECESSARY");
    lags("project", () -> b.status("admin", "GET", path) == 200);
    lags("listed", () -> b.get("projects/").has(name));
    lags("found", () -> b.get("projects/?query=name:" + name).size() == 1);
    a.put(path + "/description", "{\"description\":\"described on A\"}");
    lags("description", () -> "described on A".equals(b.get(path).at("description").text()));
    a.put(path + "/config", "{\"submit_type\":\"REBASE_ALWAYS\"}");
    lags(
        "settings", () -> "REBASE_ALWAYS".equals(b.get(path + "/config").at("submit_type").text()));
    WorkCopy copy = test.clone(b, name);
    String change = copy.newChange("f");
    approve(b, change);
    lags("change", () -> finds(a, change, "status:new"));
    submit(a, change);
  }

  private void events() throws Exception {
    events(a, b);
    events(b, a);
  }

  private void events(GerritNode from, GerritNode to) throws Exception {
    try (GerritNode.Events streamed = to.streamEvents("admin", key)) {
      streams(to, streamed, project);
      String name = from == a ? "streamed-from-a" : "streamed-from-b";
      String change = test.clone(from, project).newChange(name);
      approve(from, change);
      submit(from, change);
      lags("merged", () -> streamed.count("change-merged", number(change)) == 1);
      String local = test.clone(to, project).newChange(name + "-locally");
      lags("local one", () -> streamed.count("patchset-created", number(local)) == 1);
      lags("round trip", () -> finds(from, local, "status:new"));
      approve(from, local);
      lags("comment", () -> streamed.count("comment-added", number(local)) == 1);
      for (String type : List.of("patchset-created", "comment-added", "change-merged")) {
        equal(streamed.count(type, number(change)), 1L, type);
      }
      equal(streamed.count("patchset-created", number(local)), 1L, "local event");
      that(streamed.has("\"refName\":\"refs/heads/master\""), "ref-updated of the branch");
    }
  }

  @Holds("SharedEvents: An event of a change is posted to those who may read the change")
  private void privateEvents() throws Exception {
    a.post(
        "projects/All-Projects/access",
        """
        {"add":{"GLOBAL_CAPABILITIES":{"permissions":{"streamEvents":{"rules":{
        "global:Registered-Users":{"action":"ALLOW"}}}}}}}""");
    String publicKey = Files.readString(key.resolveSibling("key.pub"));
    equal(a.status("out", "POST", "accounts/self/sshkeys", publicKey), 201, "SSH key");
    lags("SSH key", () -> b.admits("out", key));
    String right = "accounts/self/capabilities/streamEvents";
    lags("right to stream", () -> b.status("out", "GET", right) == 200);
    try (GerritNode.Events streamed = b.streamEvents("out", key)) {
      streams(b, streamed, project);
      String hidden = work.newPrivateChange("hidden");
      String shown = work.newChange("shown");
      lags("public one", () -> streamed.count("patchset-created", number(shown)) == 1);
      that(streamed.has(refs(shown)), "refs of the public one");
      deletes(a, change(hidden));
      deletes(a, change(shown));
      lags("deletion", () -> streamed.count("change-deleted", number(shown)) == 1);
      that(!streamed.has(refs(hidden)), "a ref of the private one");
      equal(streamed.count("change-deleted", number(hidden)), 0L, "deletion of the private one");
    }
  }

  private void sessions() throws Exception {
    String self = "/accounts/self";
    String cookie = a.login("admin");
    equal(b.browse("GerritAccount=none", self), 403, "without a session");
    equal(a.browse(cookie, self), 200, "where it was begun");
    equal(b.browse(cookie, self), 200, "on the other node at once");
    b.browse(cookie, "/logout");
    equal(b.browse(cookie, self), 403, "after the logout");
    lags("logged out on the first node", () -> a.browse(cookie, self) == 403);
  }

  private void projectLife() throws Exception {
    String from = "life/old";
    String to = "life/new";
    String move = "{\"name\":\"life/new\"}";
    create(a, from, "MERGE_IF_NECESSARY");
    int kept = number(test.clone(a, from).newChange("kept"));
    equal(end(a, "in", from, "move", move), 403, "move by another user");
    equal(end(a, "in", from, "delete", "{}"), 403, "deletion by another user");
    equal(end(a, "admin", from, "move", "{\"name\":\"../up\"}"), 400, "move out of the store");
    equal(end(a, "admin", from, "move", "{\"name\":\"" + project + "\"}"), 409, "name in use");
    equal(end(a, "admin", "All-Users", "delete", "{}"), 409, "All-Users");
    a.put("projects/" + id("life/child"), "{\"parent\":\"life/old\"}");
    equal(end(a, "admin", from, "move", move), 409, "move of a parent");
    equal(end(a, "admin", from, "delete", "{}"), 409, "deletion of a parent");
    equal(end(a, "admin", "life/child", "delete", "{}"), 204, "deletion of the child");
    lags("child gone", () -> !a.get("projects/").has("life/child"));
    for (GerritNode node : List.of(a, b)) {
      lags("by its number", () -> shows(node, kept));
    }
    equal(end(a, "admin", from, "move", move), 200, "move");
    for (GerritNode node : List.of(a, b)) {
      lags("old name", () -> !knows(node, from));
      lags("moved", () -> knows(node, to) && finds(node, "~" + kept, "project:" + to));
      that(shows(node, kept), "change of the moved project by its number");
    }
    test.fsck(b, to);
    equal(end(b, "admin", to, "delete", "{}"), 204, "deletion");
    for (GerritNode node : List.of(a, b)) {
      lags("deleted", () -> !knows(node, to));
      lags("no change", () -> node.get("changes/?q=change:" + kept).size() == 0);
    }
    create(a, from, "MERGE_IF_NECESSARY");
    lags("old name again", () -> knows(b, from));
  }

  private static boolean shows(GerritNode node, int change) throws Exception {
    return node.status("admin", "GET", "changes/" + change) == 200;
  }

  private static boolean knows(GerritNode node, String name) throws Exception {
    return node.status("admin", "GET", "projects/" + id(name)) == 200;
  }

  private static int indexed(GerritNode node) throws Exception {
    return node.get("config/server/s3-follower").at("indexed").number();
  }

  /**
   * Each change is left alone until the follower has looked at it: one that is just being written
   * again would rightly be indexed by both.
   */
  private void indexedOnce() throws Exception {
    laterRounds();
    int ofA = indexed(a);
    int ofB = indexed(b);
    List<String> changes = new ArrayList<>();
    int slow = 0;
    for (int i = 0; i < BURST; i++) {
      String file = "once-" + i;
      slow += slow(() -> changes.add(work.newChange(file)));
    }
    laterRounds();
    for (String change : changes) {
      slow += slow(() -> approve(a, change));
    }
    lags("on B", () -> finds(b, changes.getLast(), "label:Code-Review=2"));
    String later = test.clone(b, project).newChange("once-later");
    lags("on A", () -> finds(a, later, "status:new"));
    laterRounds();
    Report.say(
        "  written by following %d writes of A, %d of them slow, and one of B: %d on A, %d on B"
            .formatted(2 * BURST, slow, indexed(a) - ofA, indexed(b) - ofB));
    that(indexed(a) - ofA <= slow + 1, "indexed again on A: " + (indexed(a) - ofA - 1));
  }

  private void laterRounds() throws Exception {
    int rounds = rounds(a);
    eventually(LATER + " rounds", CATCH_UP, () -> rounds(a) >= rounds + LATER);
  }

  private static int rounds(GerritNode node) throws Exception {
    return node.get("config/server/s3-follower").at("rounds").number();
  }

  /** Writes, and returns 1 if the follower may have been quicker than the machine. */
  private static int slow(Report.Step write) throws Exception {
    long start = System.nanoTime();
    write.run();
    return System.nanoTime() - start > SOON.toNanos() ? 1 : 0;
  }

  /** Submits changes on A and another node at once. */
  private void races(GerritNode other, int rounds) throws Exception {
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      String file = "race-" + rounds + "-" + i;
      String change = work.newChange(file);
      approve(a, change);
      lags("indexed", () -> finds(b, change, "label:Code-Review=2"));
      List<Integer> statuses = submitTogether(change, other, change);
      answers.add(statuses.get(0) + "/" + statuses.get(1));
      that(statuses.contains(200), "nobody submitted: " + statuses);
      that(Set.of(200, 409).containsAll(statuses), "answers: " + statuses);
      equal(status(a, change), "MERGED", "status");
      equal(status(b, change), "MERGED", "status");
      work.renew();
      String commits = work.git("log", "--format=%H", "--", file);
      equal(commits.lines().count(), 1L, "commits of " + file);
    }
    Report.say("  answers: " + answers);
  }

  private List<Integer> submitTogether(String onA, GerritNode other, String onOther)
      throws Exception {
    List<Callable<Integer>> both = new ArrayList<>();
    both.add(() -> a.status("admin", "POST", change(onA) + "/submit", "{}"));
    both.add(() -> other.status("admin", "POST", change(onOther) + "/submit", "{}"));
    return Together.all(both);
  }

  private void rivals() throws Exception {
    String name = "two/forward";
    create(a, name, "FAST_FORWARD_ONLY");
    WorkCopy copy = test.clone(a, name);
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < RACES; i++) {
      List<String> changes = List.of(copy.newChange("a-" + i), copy.newChange("b-" + i));
      for (String change : changes) {
        approve(a, change);
        lags("indexed", () -> finds(b, change, "label:Code-Review=2"));
      }
      List<Integer> statuses = submitTogether(changes.get(0), b, changes.get(1));
      answers.add(statuses.get(0) + "/" + statuses.get(1));
      equal(Set.copyOf(statuses), Set.of(200, 409), "answers");
      int winner = statuses.indexOf(200);
      for (GerritNode node : List.of(a, b)) {
        equal(status(node, changes.get(winner)), "MERGED", "winner");
        equal(status(node, changes.get(1 - winner)), "NEW", "loser");
      }
      copy.renew();
      String suffix = "-" + i;
      String files = copy.git("ls-tree", "--name-only", "HEAD");
      equal(files.lines().filter(file -> file.endsWith(suffix)).count(), 1L, files);
    }
    Report.say("  answers: " + answers);
  }

  @Holds(
      "IndexedHere: A document is followed again if a request wrote it after a later state was "
          + "followed, or it was forgotten")
  private void both() throws Exception {
    String change = work.newChange("shared");
    List<Callable<Void>> writers = new ArrayList<>();
    for (GerritNode node : List.of(a, b)) {
      WorkCopy copy = test.clone(node, project);
      writers.add(
          () -> {
            for (int i = 0; i < BURST; i++) {
              node.post(change(change) + "/revisions/current/review", "{\"message\":\"again\"}");
              copy.newChange("both-" + (node == a ? "a-" : "b-") + i);
            }
            return null;
          });
    }
    Together.all(writers);
    equalIndexes(LAG);
  }

  private List<String> burst(String prefix) throws IOException, InterruptedException {
    List<String> changes = new ArrayList<>();
    for (int i = 0; i < BURST; i++) {
      changes.add(work.newChange(prefix + i));
    }
    return changes;
  }

  private void paused() throws Exception {
    b.pause();
    try {
      burst("paused-");
    } finally {
      b.resume();
    }
    equalIndexes(CATCH_UP);
  }

  private void killInMidIndex() throws Exception {
    int indexed = MANY;
    for (int i = 0; indexed > MANY / 2 && i < KILLS; i++) {
      indexed = killInMidIndex("mid-" + i);
    }
    that(indexed <= MANY / 2, "at each kill most were indexed");
  }

  /**
   * Kills the second node when it has indexed some of the changes that were made while it was
   * paused, and returns how many.
   */
  private int killInMidIndex(String topic) throws Exception {
    List<String> changes = new ArrayList<>();
    b.pause();
    try {
      for (int i = 0; i < MANY; i++) {
        changes.add(
            made(
                "changes/",
                """
                {"project":"%s","branch":"master","subject":"%s","topic":"%s"}"""
                    .formatted(project, topic + "-" + i, topic)));
      }
    } finally {
      b.resume();
    }
    AtomicInteger indexed = new AtomicInteger();
    eventually(
        "first of them",
        CATCH_UP,
        () -> {
          indexed.set(b.get("changes/?q=topic:" + topic).size());
          return indexed.get() > 0;
        });
    b.kill();
    Report.say("  killed with " + indexed + " of " + MANY + " indexed");
    List<String> meanwhile = burst(topic + "-meanwhile-");
    deletes(a, change(meanwhile.get(0)));
    deletes(a, change(changes.get(1)));
    b.start();
    ready(b);
    equal(state(b), state(a), "indexes when it is ready");
    return indexed.get();
  }

  private void killInMidSubmit() throws Exception {
    boolean midst = false;
    for (int i = 0; !midst && i < KILLS; i++) {
      midst = killInMidSubmit("killed-" + i + "-");
    }
    that(midst, "at no kill a submit was under way");
  }

  /** Kills the first node while it submits; returns whether it owed the answer to a submit. */
  private boolean killInMidSubmit(String prefix) throws Exception {
    List<String> changes = burst(prefix);
    for (String change : changes) {
      approve(a, change);
    }
    for (String change : changes) {
      lags("indexed", () -> finds(b, change, "label:Code-Review=2"));
    }
    List<String> acknowledged = Collections.synchronizedList(new ArrayList<>());
    boolean underWay = killAtSubmit(changes, acknowledged);
    Report.say("  acknowledged before the kill: " + acknowledged.size() + " of " + changes.size());
    for (String change : acknowledged) {
      equal(status(b, change), "MERGED", "acknowledged " + change);
    }
    List<Boolean> merged = mergedAsInBranch(changes, prefix);
    for (int i = 0; i < changes.size(); i++) {
      if (!merged.get(i)) {
        submit(b, changes.get(i));
      }
    }
    test.fsck(b, project);
    a.start();
    ready(a);
    for (String change : changes) {
      equal(status(a, change), "MERGED", "after the restart " + change);
      that(finds(a, change, "status:merged"), "in the index after the restart " + change);
    }
    return underWay;
  }

  private boolean killAtSubmit(List<String> changes, List<String> acknowledged) throws Exception {
    ExecutorService submitter = Executors.newSingleThreadExecutor();
    try {
      Future<?> submits =
          submitter.submit(
              () -> {
                for (String change : changes) {
                  int status = a.status("admin", "POST", change(change) + "/submit", "{}");
                  equal(status, 200, "submit");
                  acknowledged.add(change);
                }
                return null;
              });
      lags("first submit", () -> !acknowledged.isEmpty() || submits.isDone());
      Thread.sleep(60);
      a.kill();
      return lostAnswer(submits);
    } finally {
      submitter.shutdownNow();
    }
  }

  /** Tests whether requests ended with one that was sent and not answered. */
  private static boolean lostAnswer(Future<?> requests) throws Exception {
    try {
      requests.get(CATCH_UP.toSeconds(), TimeUnit.SECONDS);
      return false;
    } catch (ExecutionException e) {
      Report.say("  the last request: " + e.getCause());
      that(e.getCause() instanceof IOException, "refused: " + e.getCause());
      return !(e.getCause() instanceof ConnectException); // not sent
    }
  }

  private void stopUnderLoad() throws Exception {
    int before = a.log().length();
    Load load = new Load(test, List.of(a), project, "stopped");
    load.during(() -> equal(a.stop(), SIGTERM, "exit code"));
    List<String> errors =
        ENDED_LATE
            .matcher(a.log().substring(before))
            .replaceAll("")
            .lines()
            .filter(line -> line.contains("ERROR"))
            .toList();
    load.keptBy(b);
    test.fsck(b, project);
    a.start();
    ready(a);
    equal(state(a), state(b), "indexes when it is ready");
    that(errors.isEmpty(), "errors in the log while it stopped: " + errors);
  }

  /** Tells which changes are merged, and checks that these are in the branch, and no others. */
  private List<Boolean> mergedAsInBranch(List<String> changes, String prefix) throws Exception {
    WorkCopy copy = test.clone(b, project);
    List<Boolean> before;
    List<Boolean> merged = merged(changes);
    List<String> files;
    do { // the store may still take a write of the Gerrit that was killed
      before = merged;
      copy.renew();
      files = copy.git("ls-tree", "--name-only", "HEAD").lines().toList();
      merged = merged(changes);
    } while (!merged.equals(before));
    for (int i = 0; i < changes.size(); i++) {
      equal(files.contains(prefix + i), merged.get(i), prefix + i + " in the branch");
    }
    return merged;
  }

  private List<Boolean> merged(List<String> changes) throws Exception {
    List<Boolean> merged = new ArrayList<>();
    for (String change : changes) {
      merged.add(status(b, change).equals("MERGED"));
    }
    return merged;
  }
}

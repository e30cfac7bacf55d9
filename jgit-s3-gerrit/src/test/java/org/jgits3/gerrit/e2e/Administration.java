// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.create;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.id;
import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.util.List;
import org.jgits3.gerrit.e2e.tools.Json;

/** What administrators and scheduled tasks do on one of two Gerrits beside the other one. */
final class Administration extends OnTwoNodes {
  static final String SETTINGS =
      """
      [groups]
        enableDeleteGroup = true
      [changeCleanup]
        startTime = 00:00
        interval = 10 s
        abandonAfter = 1 year
      """;

  private static final String TASK = "ChangeCleanupRunner";

  private final String project;

  Administration(OnTwoNodes both, String project) {
    super(both);
    this.project = project;
  }

  void run(Report report) throws InterruptedException {
    report.check("a project made read-only on one refuses pushes on the other", this::readOnly);
    report.check("a group, an account and an email are deleted", this::deletions);
    report.check("a scheduled task runs on one node at a time", this::scheduledTask);
    report.check("an index is made anew while clients push and vote", this::reindex);
  }

  private void readOnly() throws Exception {
    String name = "two/closed";
    String path = "projects/" + id(name) + "/config";
    create(a, name, "MERGE_IF_NECESSARY");
    lags("project", () -> b.status("admin", "GET", path) == 200);
    WorkCopy copy = test.clone(b, name);
    copy.newChange("open");
    copy.commit("closed", "closed\n");
    a.put(path, "{\"state\":\"READ_ONLY\"}");
    lags("read-only", () -> isClosed(path));
    for (String ref : List.of("refs/for/master", "refs/heads/master")) {
      String said = copy.refusal("push", "origin", "HEAD:" + ref);
      that(said.contains("does not permit write"), said);
    }
    copy.git("fetch", "origin");
    a.put(path, "{\"state\":\"ACTIVE\"}");
    lags("active", () -> !isClosed(path));
    copy.push();
  }

  private boolean isClosed(String path) throws Exception {
    Json config = b.get(path);
    return config.has("state") && config.at("state").text().equals("READ_ONLY");
  }

  private void deletions() throws Exception {
    a.put("groups/doomed", "{}");
    lags("group", () -> b.get("groups/?query=name:doomed").size() == 1);
    that(a.status("admin", "DELETE", "groups/doomed") / 100 == 2, "group");
    lags("no group", () -> b.get("groups/?query=name:doomed").size() == 0);
    equal(b.status("admin", "GET", "groups/doomed"), 404, "deleted group");
    a.put("accounts/doomed", "{\"email\":\"doomed@example.com\"}");
    a.put("accounts/doomed/emails/gone@example.com", "{\"no_confirmation\":true}");
    lags("email", () -> found("email:gone@example.com") == 1);
    delete("admin", "accounts/doomed/emails/gone@example.com");
    lags("no email", () -> found("email:gone@example.com") == 0);
    equal(found("email:doomed@example.com"), 1, "other email");
    equal(b.status("doomed", "GET", "accounts/self"), 200, "account");
    delete("doomed", "accounts/self");
    lags("no account", () -> found("username:doomed") + found("email:doomed@example.com") == 0);
    equal(b.status("doomed", "GET", "accounts/self"), 401, "deleted account");
  }

  private void delete(String user, String path) throws Exception {
    equal(a.status(user, "DELETE", path), 204, path);
  }

  private int found(String accounts) throws Exception {
    return b.get("accounts/?q=" + accounts).size();
  }

  private void scheduledTask() throws Exception {
    lags("cleanup", () -> cleans(a.log()) || cleans(b.log()));
    Process holder = store.hold("gerrit-tasks/" + TASK);
    int ofA = a.log().length();
    int ofB = b.log().length();
    lags("left out by both", () -> leavesOut(a, ofA) && leavesOut(b, ofB));
    for (String log : List.of(a.log().substring(ofA), b.log().substring(ofB))) {
      that(!cleans(log), "a node runs the task, too");
    }
    store.kill(holder);
    eventually(
        "cleanup after a kill -9",
        CATCH_UP,
        () -> cleans(a.log().substring(ofA)) || cleans(b.log().substring(ofB)));
  }

  private static boolean cleans(String log) {
    return log.contains("Running change cleanups");
  }

  private static boolean leavesOut(GerritNode node, int from) throws Exception {
    return node.log().substring(from).contains(TASK + " is left out: it is running already");
  }

  private void reindex() throws Exception {
    int before = a.log().length();
    Load load = new Load(test, List.of(a, b), project, "reindexed");
    load.beside(
        () -> {
          equal(
              a.ssh(key, "gerrit index start changes --force").trim(),
              "Reindexer started",
              "reindex");
          lags("reindexed", () -> indexed(a.log().substring(before)));
        });
    load.keptBy(a);
    load.keptBy(b);
    equalIndexes(LAG);
  }

  private static boolean indexed(String log) {
    that(!log.contains("Online reindex of changes"), "failed: " + log); // that it failed
    return log.contains("Reindex changes to version ");
  }
}

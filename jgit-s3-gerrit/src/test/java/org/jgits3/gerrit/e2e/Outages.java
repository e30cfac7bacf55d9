// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.approve;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.change;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.id;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.status;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.submit;
import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgits3.gerrit.e2e.writers.Together;

/**
 * Two Gerrits, both or one of which cannot reach the store. The second node reaches the store by a
 * proxy of its own.
 */
final class Outages extends OnTwoNodes {
  private static final int CHANGES = 5;

  private static final Duration OUTAGE = Duration.ofSeconds(60);

  /** Shorter than the least deadline of the library. */
  private static final Duration SHORT = Duration.ofSeconds(15);

  /** Deadline for the error that a user gets. */
  private static final Duration ERROR = Duration.ofMinutes(4);

  private final String project;

  Outages(OnTwoNodes both, String project) {
    super(both);
    this.project = project;
  }

  void run(Report report) throws InterruptedException {
    report.check("an outage of 15 seconds delays requests and fails none", this::shortOne);
    report.check("nodes cut off from the store answer with errors, and recover", this::both);
    report.check(
        "a node alone without answers from the store is not ready until it has caught up",
        () -> one("silent", proxy::silence));
    report.check(
        "a node alone whose connections are refused is not ready until it has caught up",
        () -> one("refused", proxy::refuse));
  }

  private void shortOne() throws Exception {
    List<Callable<Void>> all = new ArrayList<>();
    all.add(
        () -> {
          try {
            TimeUnit.SECONDS.sleep(SHORT.toSeconds());
          } finally {
            store.resume();
          }
          return null;
        });
    for (GerritNode node : List.of(a, b)) {
      String cookie = node.login("admin");
      all.add(read(() -> node.get("changes/?q=status:open")));
      all.add(read(() -> node.get("projects/")));
      all.add(read(() -> equal(node.browse(cookie, "/accounts/self"), 200, "browser")));
      all.add(read(() -> node.ssh(key, "gerrit version")));
    }
    Load load = new Load(test, List.of(a, b), project, "brief-outage");
    load.beside(
        () -> {
          store.pause();
          Together.all(all);
        });
    ready(a);
    ready(b);
    load.keptBy(a);
    load.keptBy(b);
    equalIndexes(LAG);
  }

  private static Callable<Void> read(Report.Step request) {
    return () -> {
      request.run();
      return null;
    };
  }

  private void both() throws Exception {
    WorkCopy work = test.clone(a, project);
    String before = work.newChange("before-outage");
    Map<String, Callable<String>> requests = new LinkedHashMap<>();
    requests.putAll(requests(a, before));
    requests.putAll(requests(b, before));
    Load load = new Load(test, List.of(a, b), project, "outage");
    load.during(
        () -> {
          long end = System.nanoTime() + OUTAGE.toNanos();
          store.pause();
          try {
            fail(requests);
            TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
          } finally {
            store.resume();
          }
        });
    ready(a);
    ready(b);
    load.keptBy(a);
    load.keptBy(b);
    String after = work.newChange("after-outage");
    approve(b, before);
    submit(b, before);
    lags("change", () -> finds(b, after, "status:new"));
    equalIndexes(LAG);
    test.fsck(b, project);
  }

  /** Requests of users that have to fail while the store does not answer; each says how. */
  private Map<String, Callable<String>> requests(GerritNode node, String change) throws Exception {
    String on = node == a ? " on A" : " on B";
    String its = "projects/" + id(project);
    String review = change(change) + "/revisions/current/review";
    String cookie = node.login("admin");
    WorkCopy fetching = test.clone(node, project);
    WorkCopy pushing = test.clone(node, project);
    pushing.commit("outage", on);
    Map<String, Callable<String>> requests = new LinkedHashMap<>();
    requests.put("query" + on, () -> rest(node, "GET", "changes/?q=status:open", null));
    requests.put("detail" + on, () -> rest(node, "GET", change(change) + "/detail", null));
    requests.put("branches" + on, () -> rest(node, "GET", its + "/branches/", null));
    requests.put("projects" + on, () -> rest(node, "GET", "projects/", null));
    requests.put("review" + on, () -> rest(node, "POST", review, "{\"message\":\"not now\"}"));
    requests.put(
        "new branch" + on,
        () -> rest(node, "PUT", its + "/branches/outage", "{\"revision\":\"master\"}"));
    requests.put("browser" + on, () -> error(node.browse(cookie, "/accounts/self")));
    requests.put("fetch" + on, () -> git(fetching, "fetch", "origin"));
    requests.put("push" + on, () -> git(pushing, "push", "origin", "HEAD:refs/for/master"));
    requests.put(
        "SSH" + on,
        () -> {
          that(!node.admits(key), "SSH was answered");
          return "no connection";
        });
    return requests;
  }

  private static String error(int status) {
    that(status >= 500, "answered with " + status);
    return Integer.toString(status);
  }

  private static String rest(GerritNode node, String method, String path, String body)
      throws Exception {
    return error(node.status("admin", method, path, body));
  }

  private static String git(WorkCopy copy, String... command) throws Exception {
    String said = copy.refusal(command);
    that(said.contains("error: 5"), said);
    return said.lines().toList().getLast();
  }

  /** Sends all requests at once, and waits until each has failed. */
  private void fail(Map<String, Callable<String>> requests) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(requests.size());
    long start = System.nanoTime();
    try {
      Map<String, Future<String>> failures = new LinkedHashMap<>();
      requests.forEach((name, request) -> failures.put(name, threads.submit(request)));
      for (GerritNode node : List.of(a, b)) {
        lags("not ready", () -> node.readiness() == 503);
      }
      for (Map.Entry<String, Future<String>> failure : failures.entrySet()) {
        Duration left = ERROR.minusNanos(System.nanoTime() - start);
        String how = failure.getValue().get(left.toMillis(), TimeUnit.MILLISECONDS);
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        Report.say("  " + failure.getKey() + ": " + how + ", within " + seconds + " s");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Cuts off one node; the other one serves. */
  private void one(String name, Report.Step cut) throws Exception {
    WorkCopy work = test.clone(a, project);
    String before = work.newChange("before-" + name);
    lags("change", () -> finds(b, before, "status:new"));
    List<String> meanwhile = new ArrayList<>();
    cut.run();
    try {
      lags("not ready", () -> b.readiness() == 503);
      approve(a, before);
      submit(a, before);
      for (int i = 0; i < CHANGES; i++) {
        meanwhile.add(work.newChange(name + "-" + i));
        equal(a.readiness(), 200, "readiness of A");
      }
      equal(b.readiness(), 503, "readiness of B");
    } finally {
      proxy.pass();
    }
    eventually("ready", CATCH_UP, () -> b.readiness() == 200);
    that(finds(b, before, "status:merged"), "submitted meanwhile");
    for (String change : meanwhile) {
      that(finds(b, change, "status:new"), "pushed meanwhile");
      equal(status(b, change), "NEW", "pushed meanwhile");
    }
    equal(state(b), state(a), "indexes when it is ready");
  }
}

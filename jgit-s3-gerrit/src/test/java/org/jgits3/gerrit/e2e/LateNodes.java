// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.change;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.create;
import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jgits3.gerrit.e2e.tools.Balancer;
import org.jgits3.gerrit.e2e.writers.Together;

/**
 * Two Gerrits behind HAProxy, both or one of which do not know whether they are up to date. The
 * second node reaches the store by a proxy of its own.
 */
final class LateNodes extends OnTwoNodes {
  private static final String PROJECT = "late/nodes";

  /** Shorter than the least deadline of the library; each node is late for most of it. */
  private static final Duration OUTAGE = Duration.ofSeconds(28);

  private static final int REQUESTS = 20;

  LateNodes(OnTwoNodes both) {
    super(both);
  }

  void run(Report report) throws InterruptedException {
    String both = "an outage that both nodes survive is none behind HAProxy";
    String one = "HAProxy sends nothing to the one node that is late";
    if (test.haproxy().isEmpty()) {
      report.skip(both, "haproxy is not installed");
      report.skip(one, "haproxy is not installed");
    } else {
      report.check(both, this::both);
      report.check(one, this::one);
    }
  }

  private void both() throws Exception {
    create(a, PROJECT, "MERGE_IF_NECESSARY");
    String change = test.clone(a, PROJECT).newChange("first");
    lags("change", () -> finds(b, change, "status:new"));
    String cookie = a.login("admin");
    try (Balancer balancer = test.balancer(b)) {
      List<Callable<Void>> all = new ArrayList<>();
      for (int second = 0; second < OUTAGE.toSeconds(); second++) {
        all.add(begun(second, request(second, balancer, change, cookie)));
      }
      all.add(
          () -> {
            try {
              TimeUnit.SECONDS.sleep(OUTAGE.toSeconds());
              that(balancer.isSaid("gerrit-1", "DOWN"), "HAProxy took A for ready");
              that(balancer.isSaid("gerrit-2", "DOWN"), "HAProxy took B for ready");
            } finally {
              store.resume();
            }
            return null;
          });
      store.pause();
      Together.all(all);
      for (String server : List.of("gerrit-1", "gerrit-2")) {
        eventually("up", Balancer.MOST, () -> balancer.isSaid(server, "UP"));
      }
    }
    ready(a);
    ready(b);
    equalIndexes(LAG);
  }

  private static Callable<Void> begun(int second, Report.Step request) {
    return () -> {
      TimeUnit.SECONDS.sleep(second);
      try {
        request.run();
      } catch (Exception | Error e) {
        throw new AssertionError("after " + second + " s: " + e.getMessage(), e);
      }
      return null;
    };
  }

  /** A request of one of six kinds, which has to succeed. */
  private Report.Step request(int number, Balancer balancer, String change, String cookie)
      throws Exception {
    String user = "X-Forwarded-User";
    switch (number % 6) {
      case 0:
        return () -> equal(balancer.status("/a/changes/?q=status:open", user, "admin"), 200, "q");
      case 1:
        String detail = "/a/" + change(change) + "/detail";
        return () -> equal(balancer.status(detail, user, "admin"), 200, "detail");
      case 2:
        return () -> equal(balancer.status("/accounts/self", "Cookie", cookie), 200, "browser");
      case 3:
        WorkCopy fetching = through(balancer);
        return () -> fetching.git("fetch", "origin");
      case 4:
        WorkCopy pushing = through(balancer);
        pushing.commit("late-" + number, "text\n");
        return () -> pushing.push();
      default:
        return () -> a.ssh(balancer.sshPort(), key, "gerrit version");
    }
  }

  private WorkCopy through(Balancer balancer) throws Exception {
    WorkCopy copy = test.clone(a, PROJECT);
    copy.git("remote", "set-url", "origin", balancer.url("/a/" + PROJECT));
    return copy;
  }

  /** A node that is cut off could answer a query of refs only with an error, after a minute. */
  private void one() throws Exception {
    try (Balancer balancer = test.balancer(b)) {
      proxy.silence();
      try {
        eventually("down", Balancer.MOST, () -> balancer.isSaid("gerrit-2", "DOWN"));
        for (int i = 0; i < REQUESTS; i++) {
          String branches = "/a/projects/" + GerritEndToEnd.id(PROJECT) + "/branches/";
          equal(balancer.status(branches, "X-Forwarded-User", "admin"), 200, "request " + i);
          a.ssh(balancer.sshPort(), key, "gerrit version");
        }
        equal(b.readiness(), 503, "readiness of B");
      } finally {
        proxy.pass();
      }
      eventually("up", Balancer.MOST, () -> balancer.isSaid("gerrit-2", "UP"));
    }
    ready(b);
  }
}

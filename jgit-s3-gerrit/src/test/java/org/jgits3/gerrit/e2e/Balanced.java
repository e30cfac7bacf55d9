// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.Report.equal;

import org.jgits3.gerrit.e2e.tools.Balancer;

/** Two Gerrits behind HAProxy, one of which dies. */
final class Balanced extends OnTwoNodes {
  private static final String NAME = "two nodes behind HAProxy: one that dies is not missed";
  private static final int REQUESTS = 50;

  private final String project;

  Balanced(OnTwoNodes both, String project) {
    super(both);
    this.project = project;
  }

  void run(Report report) throws InterruptedException {
    if (test.haproxy().isEmpty()) {
      report.skip(NAME, "haproxy is not installed");
    } else {
      report.check(NAME, this::run);
    }
  }

  private void run() throws Exception {
    try (Balancer balancer = test.balancer(b)) {
      equal(balancer.banner(), Balancer.SERVER_BANNER, "SSH");
      WorkCopy work = test.clone(a, project);
      work.git("remote", "set-url", "origin", balancer.url("/a/" + project));
      work.newChange("balanced");
      dies(balancer, b, "gerrit-2", work);
      dies(balancer, a, "gerrit-1", work);
      work.newChange("balanced-again");
    }
  }

  private static void dies(Balancer balancer, GerritNode node, String server, WorkCopy work)
      throws Exception {
    node.kill();
    for (int i = 0; i < REQUESTS; i++) {
      int status = balancer.status("/a/config/server/version", "X-Forwarded-User", "admin");
      equal(status, 200, "request " + i);
    }
    eventually("SSH", Balancer.MOST, () -> balancer.banner().equals(Balancer.SERVER_BANNER));
    work.newChange("balanced-without-" + server);
    eventually("down", Balancer.MOST, () -> balancer.isSaid(server, "DOWN"));
    node.start();
    ready(node);
    eventually("up", Balancer.MOST, () -> balancer.isSaid(server, "UP"));
  }
}

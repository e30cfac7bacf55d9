// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.Report.equal;

import java.nio.file.Path;
import java.util.Optional;
import org.jgits3.gerrit.e2e.tools.Balancer;
import org.jgits3.gerrit.e2e.tools.Programs;

/** Two Gerrits behind HAProxy, one of which dies. */
record Balanced(
    Programs programs,
    Path directory,
    Path root,
    GerritNode a,
    GerritNode b,
    GerritEndToEnd test,
    String project) {
  private static final String NAME = "two nodes behind HAProxy: one that dies is not missed";
  private static final int REQUESTS = 50;

  void run(Report report) throws InterruptedException {
    Optional<Path> haproxy = Balancer.program(root);
    if (haproxy.isEmpty()) {
      report.skip(NAME, "haproxy is not installed");
    } else {
      report.check(NAME, () -> run(haproxy.get()));
    }
  }

  /** Starts HAProxy, and waits until it has found a node that is ready. */
  static Balancer start(
      Programs programs, Path haproxy, Path directory, Path root, GerritNode a, GerritNode b)
      throws Exception {
    Balancer.Node first = new Balancer.Node(a.httpPort(), a.sshPort());
    Balancer.Node second = new Balancer.Node(b.httpPort(), b.sshPort());
    Balancer balancer = new Balancer(programs, haproxy, directory, root, first, second);
    TwoNodes.eventually("HAProxy is ready", Balancer.MOST, balancer::isReady);
    return balancer;
  }

  private void run(Path haproxy) throws Exception {
    try (Balancer balancer = start(programs, haproxy, directory, root, a, b)) {
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
    TwoNodes.eventually(
        "SSH", Balancer.MOST, () -> balancer.banner().equals(Balancer.SERVER_BANNER));
    work.newChange("balanced-without-" + server);
    TwoNodes.eventually("down", Balancer.MOST, () -> balancer.isSaid(server, "DOWN"));
    node.start();
    TwoNodes.ready(node);
    TwoNodes.eventually("up", Balancer.MOST, () -> balancer.isSaid(server, "UP"));
  }
}

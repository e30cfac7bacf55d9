// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import java.nio.file.Path;
import org.jgits3.gerrit.e2e.tools.Programs;
import org.jgits3.gerrit.e2e.tools.SlowProxy;

/**
 * Two Gerrits whose users, other writers of the bucket and network do their worst: both nodes serve
 * all the same. The second node reaches the store by a proxy of its own.
 */
record Hostile(
    Programs programs,
    Path directory,
    Path root,
    GerritEndToEnd test,
    S3Server store,
    GerritNode a,
    GerritNode b,
    SlowProxy proxy,
    Path key) {
  void run(Report report) throws InterruptedException {
    report.check("a second node joins, and the first begins to follow", () -> TwoNodes.join(a, b));
    new HostileUsers(test, store, a, b).run(report);
    new HostileEvents(test, a, b, key).run(report);
    new ProjectsElsewhere(test, a, b, key).run(report);
    new HostileBrowsers(store, a, b, key).run(report);
    new LateNodes(programs, directory, root, test, store, a, b, proxy, key).run(report);
  }
}

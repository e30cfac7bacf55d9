// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.approve;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.create;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.submit;
import static org.jgits3.gerrit.e2e.Report.that;

import java.util.List;

/** What a Gerrit keeps of several changes at once, in sites that turn it on. */
final class OptionalState extends OnTwoNodes {
  private static final String PROJECT = "two/optional";
  private static final String SETTINGS =
      """
      [change]
        mergeabilityComputationBehavior = API_REF_UPDATED_AND_CHANGE_REINDEX
      [cache "changes"]
        memoryLimit = 1024
        maxAge = 1 day
      """;

  /** More changes in a fetch than Gerrit looks up one by one. */
  private static final int CHANGES = 12;

  OptionalState(OnTwoNodes both) {
    super(both);
  }

  void run(Report report) throws InterruptedException {
    report.check("mergeability in the index follows the branch", this::mergeability);
    report.check("the cache of changes follows", this::cachedChanges);
  }

  private void mergeability() throws Exception {
    for (GerritNode node : List.of(a, b)) {
      node.stop();
      node.add(SETTINGS);
      node.start();
      ready(node);
    }
    create(a, PROJECT, "MERGE_IF_NECESSARY");
    WorkCopy work = test.clone(a, PROJECT);
    String early = work.newChange("early");
    work.renew();
    work.commit("early", "another text\n");
    String late = work.push();
    approve(a, early);
    lags("mergeable", () -> finds(b, late, "is:mergeable"));
    submit(a, early);
    lags("in conflict", () -> !finds(b, late, "is:mergeable"));
    that(finds(b, late, "status:new"), "late change");
  }

  /** A reader who may not see all branches gets the refs of changes by the cached changes. */
  private void cachedChanges() throws Exception {
    a.post(
        "projects/" + GerritEndToEnd.id(PROJECT) + "/access",
        """
        {"add":{"refs/heads/secret":{"exclusive":true,"permissions":{"read":{"exclusive":true,
        "rules":{"Administrators":{"action":"ALLOW"}}}}}}}""");
    a.put(
        "projects/" + GerritEndToEnd.id(PROJECT) + "/branches/secret", "{\"revision\":\"master\"}");
    WorkCopy work = test.clone(a, PROJECT);
    for (int i = 0; i < CHANGES; i++) {
      String change = work.newChange("cached-" + i);
      lags("change", () -> finds(b, change, "status:new"));
    }
    lags("secret branch", () -> !listed(work).contains("refs/heads/secret"));
    String change = work.newChange("later");
    String ref = refs(change) + "1";
    lags("new change", () -> listed(work).contains(ref));
    that(listed(work).contains("refs/heads/master"), "branch");
  }

  private String listed(WorkCopy work) throws Exception {
    return work.git(
        "-c",
        "http.extraHeader=",
        "-c",
        "http.extraHeader=X-Forwarded-User: out",
        "ls-remote",
        b.url(PROJECT));
  }
}

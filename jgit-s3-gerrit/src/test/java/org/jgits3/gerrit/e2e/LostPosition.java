// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.create;
import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A node that was away and has lost its position: it compares its indexes with the bucket. */
final class LostPosition extends OnTwoNodes {
  private static final String LOST = "lost/project";
  private static final List<String> INDEXES = List.of("accounts", "changes", "groups", "projects");

  private final String project;

  LostPosition(OnTwoNodes both, String project) {
    super(both);
    this.project = project;
  }

  /** Changes everything while a node is away, and compares the indexes of both when it is back. */
  void run() throws Exception {
    create(a, LOST, "MERGE_IF_NECESSARY");
    String unwanted = test.clone(a, LOST).newChange("f");
    WorkCopy work = test.clone(a, project);
    String amended = work.newChange("away");
    a.put("accounts/lost", "{\"email\":\"lost@example.com\"}");
    a.put("accounts/kept", "{\"name\":\"Keeper\"}");
    a.put("groups/lost", "{}");
    lags("equal", () -> documents(b).equals(documents(a)));
    b.stop();
    b.losePosition();
    equal(end(a, "admin", LOST, "delete", "{}"), 204, "deletion of a project");
    equal(a.status("lost", "DELETE", "accounts/self"), 204, "deletion of an account");
    equal(a.status("admin", "DELETE", "groups/lost"), 200, "deletion of a group");
    lags("deleted", () -> !finds(a, unwanted, "status:new"));
    a.put("accounts/kept/name", "{\"name\":\"Treasurer\"}");
    a.put("groups/found", "{}");
    create(a, "lost/and-found", "MERGE_IF_NECESSARY");
    test.clone(a, "lost/and-found").newChange("f");
    work.amend("away", "another text\n");
    equal(work.push(), amended, "change");
    b.start();
    ready(b);
    that(b.log().contains("so all"), "not compared");
    equal(state(b), state(a), "changes");
    equal(documents(b), documents(a), "documents");
    equal(b.get("accounts/?q=username:lost").size(), 0, "deleted account");
    equal(b.get("accounts/?q=name:treasurer").size(), 1, "renamed account");
  }

  /** Number of documents in each index of a node. */
  private static Map<String, String> documents(GerritNode node) throws Exception {
    Map<String, String> documents = new TreeMap<>();
    for (String index : INDEXES) {
      documents.put(index, node.get("config/server/indexes/" + index).value().toString());
    }
    return documents;
  }
}

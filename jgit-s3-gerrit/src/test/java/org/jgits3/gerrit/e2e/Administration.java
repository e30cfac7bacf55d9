// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;
import static org.jgits3.gerrit.e2e.TwoNodes.lags;

/** What is deleted on one of two Gerrits, as the other one shows it. */
final class Administration {
  static final String SETTINGS = "[groups]\n  enableDeleteGroup = true\n";

  private final GerritNode a;
  private final GerritNode b;

  Administration(GerritNode a, GerritNode b) {
    this.a = a;
    this.b = b;
  }

  void run(Report report) throws InterruptedException {
    report.check("a group, an account and an email are deleted", this::deletions);
  }

  private void deletions() throws Exception {
    a.put("groups/doomed", "{}");
    lags("group", () -> b.get("groups/?query=name:doomed").size() == 1);
    that(a.rest("admin", "DELETE", "groups/doomed", null).status() / 100 == 2, "group");
    lags("no group", () -> b.get("groups/?query=name:doomed").size() == 0);
    equal(b.rest("admin", "GET", "groups/doomed", null).status(), 404, "deleted group");
    a.put("accounts/doomed", "{\"email\":\"doomed@example.com\"}");
    a.put("accounts/doomed/emails/gone@example.com", "{\"no_confirmation\":true}");
    lags("email", () -> found("email:gone@example.com") == 1);
    delete("admin", "accounts/doomed/emails/gone@example.com");
    lags("no email", () -> found("email:gone@example.com") == 0);
    equal(found("email:doomed@example.com"), 1, "other email");
    equal(b.rest("doomed", "GET", "accounts/self", null).status(), 200, "account");
    delete("doomed", "accounts/self");
    lags("no account", () -> found("username:doomed") + found("email:doomed@example.com") == 0);
    equal(b.rest("doomed", "GET", "accounts/self", null).status(), 401, "deleted account");
  }

  private void delete(String user, String path) throws Exception {
    equal(a.rest(user, "DELETE", path, null).status(), 204, path);
  }

  private int found(String accounts) throws Exception {
    return b.get("accounts/?q=" + accounts).size();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.Report.equal;

import java.time.Duration;
import java.util.List;

/** Browsers of two Gerrits: their sessions are ended, or they invent them. */
final class HostileBrowsers extends OnTwoNodes {
  private static final String SELF = "/accounts/self";
  private static final String USER = "visitor";
  private static final Duration PERIOD = Duration.ofSeconds(10);

  HostileBrowsers(OnTwoNodes both) {
    super(both);
  }

  void run(Report report) throws InterruptedException {
    report.check(
        "a flush of web_sessions by REST ends those of both nodes",
        () -> flush("admin", () -> flushes("/web_sessions/flush", "{}")));
    report.check(
        "a flush of web_sessions by SSH ends those of both nodes",
        () -> flush(USER, () -> a.ssh(key, "gerrit flush-caches --cache web_sessions")));
    report.check("FLUSH_ALL ends no session, as in any Gerrit", this::flushAll);
    report.check("the sessions of a user are ended by the user or an administrator", this::user);
  }

  private void flushes(String path, String body) throws Exception {
    equal(a.status("admin", "POST", "config/server/caches" + path, body), 200, "flush");
  }

  private void flush(String user, Report.Step flush) throws Exception {
    a.login(USER); // makes the account
    String ofA = a.login(user);
    String ofB = b.login(user);
    for (GerritNode node : List.of(a, b)) {
      equal(node.browse(ofA, SELF), 200, "session of A");
      equal(node.browse(ofB, SELF), 200, "session of B");
    }
    equal(
        a.status(USER, "POST", "config/server/caches/web_sessions/flush", "{}"),
        403,
        "flush by a user");
    equal(a.browse(ofA, SELF), 200, "after the flush by a user");
    flush.run();
    equal(a.browse(ofA, SELF), 403, "session of A, on A");
    equal(a.browse(ofB, SELF), 403, "session of B, on A");
    String later = a.login(user);
    if (user.equals(USER)) { // else B is told by nothing but the time
      equal(b.browse(later, SELF), 200, "a later one, on the other node at once");
    }
    eventually("ended on B", PERIOD.multipliedBy(2), () -> b.browse(ofA, SELF) == 403);
    equal(b.browse(ofB, SELF), 403, "session of B, on B");
    String onB = b.login(user);
    for (GerritNode node : List.of(a, b)) {
      equal(node.browse(later, SELF), 200, "after the flush, by A");
      equal(node.browse(onB, SELF), 200, "after the flush, by B");
    }
  }

  private void flushAll() throws Exception {
    String cookie = a.login("admin");
    flushes("/", "{\"operation\":\"FLUSH_ALL\"}");
    a.ssh(key, "gerrit flush-caches --all");
    for (GerritNode node : List.of(a, b)) {
      equal(node.browse(cookie, SELF), 200, "session");
    }
  }

  private void user() throws Exception {
    String admin = a.login("admin");
    List<String> cookies = List.of(a.login(USER), b.login(USER), a.login(USER));
    String its = sessions(USER);
    equal(a.status(USER, "DELETE", sessions("admin")), 403, "by another user");
    for (GerritNode node : List.of(a, b)) {
      for (String cookie : cookies) {
        equal(node.browse(cookie, SELF), 200, "session");
      }
    }
    equal(a.status("admin", "DELETE", its), 204, "by an administrator");
    for (String cookie : cookies) {
      equal(a.browse(cookie, SELF), 403, "on A");
      eventually("on B", PERIOD.multipliedBy(2), () -> b.browse(cookie, SELF) == 403);
    }
    for (GerritNode node : List.of(a, b)) {
      equal(node.browse(admin, SELF), 200, "session of another user");
    }
    String own = b.login(USER);
    equal(b.status(USER, "DELETE", its), 204, "by the user");
    equal(b.browse(own, SELF), 403, "on B");
  }

  private String sessions(String user) throws Exception {
    int id = a.rest(user, "GET", "accounts/self", null).ok().at("_account_id").number();
    return "accounts/" + id + "/s3-sessions";
  }
}

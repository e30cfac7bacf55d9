// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Browsers of two Gerrits: their sessions are ended, or they invent them. */
final class HostileBrowsers {
  private static final String SELF = "/accounts/self";
  private static final String USER = "visitor";
  private static final String DIGITS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";

  /** Address of another client than this one, on loopback, too. */
  private static final String OTHER = "127.0.0.2";

  private static final int INVENTED = 400;

  /** Look-ups of invented sessions that a node makes in each period. */
  private static final int LOOKED_UP = 100;

  private static final Duration PERIOD = Duration.ofSeconds(10);

  private final S3Server store;
  private final GerritNode a;
  private final GerritNode b;
  private final Path key;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  HostileBrowsers(S3Server store, GerritNode a, GerritNode b, Path key) {
    this.store = store;
    this.a = a;
    this.b = b;
    this.key = key;
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
    report.check("invented cookies ask little of the store, or nothing", this::invented);
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
    TwoNodes.eventually("ended on B", PERIOD.multipliedBy(2), () -> b.browse(ofA, SELF) == 403);
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
      TwoNodes.eventually("on B", PERIOD.multipliedBy(2), () -> b.browse(cookie, SELF) == 403);
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

  private void invented() throws Exception {
    Report.say("  seed " + seed);
    String cookie = a.login("admin");
    equal(a.browse(cookie, SELF), 200, "session");
    int before = lookUps();
    for (int i = 0; i < INVENTED; i++) {
      equal(a.browse("GerritAccount=invented-" + i, SELF), 403, "invented");
    }
    equal(lookUps() - before, 0, "look-ups of texts that are no tokens");
    String token = token();
    for (int i = 0; i < INVENTED; i++) {
      equal(b.browse("GerritAccount=" + token, SELF), 403, "invented");
    }
    equal(lookUps() - before, 1, "look-ups of one token");
    long start = System.nanoTime();
    List<Integer> others = new ArrayList<>();
    for (int i = 0; i < INVENTED; i++) {
      others.add(a.browse("GerritAccount=" + token(), SELF));
    }
    equal(a.browse(cookie, SELF), 200, "a session that the node knows");
    equal(a.browse(a.login(USER), SELF), 200, "a login in the flood");
    equal(a.browseFrom(OTHER, b.login(USER), SELF), 200, "a session of another client");
    long periods = 1 + (System.nanoTime() - start) / PERIOD.toNanos();
    int lookUps = lookUps() - before;
    Report.say("  looked up: " + lookUps + " of " + INVENTED);
    that(Set.of(403, 503).containsAll(others), "answers: " + Set.copyOf(others));
    that(lookUps <= LOOKED_UP * (periods + 1), "look-ups: " + lookUps);
  }

  /** Reads of sessions so far, other than of those that exist. */
  private int lookUps() throws Exception {
    return (int)
        store.settledRequests().stream()
            .filter(request -> request.contains("gerrit-sessions/") && request.endsWith(" 404"))
            .count();
  }

  /** A token in the form that Gerrit gives tokens, of an account that exists. */
  private String token() {
    byte[] chance = new byte[20];
    random.nextBytes(chance);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(new byte[] {2, (byte) 0xc0, (byte) 0x84, 0x3d, 20}); // account 1000000
    bytes.writeBytes(chance);
    StringBuilder token = new StringBuilder();
    int bits = 0;
    int count = 0;
    for (byte next : bytes.toByteArray()) {
      bits = bits << 8 | next & 0xff;
      for (count += 8; count >= 6; count -= 6) {
        token.append(DIGITS.charAt(bits >> count - 6 & 0x3f));
      }
    }
    return token.append(DIGITS.charAt(bits << 6 - count & 0x3f)).toString();
  }
}

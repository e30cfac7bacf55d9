// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.id;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.gerrit.e2e.tools.Json;
import org.jgits3.gerrit.e2e.tools.SlowProxy;

/**
 * What cases of two Gerrits on one bucket have in common. The second node reaches the store by a
 * proxy of its own.
 */
abstract class OnTwoNodes {
  /** Deadline to show what the other node did, for a machine that is very busy. */
  static final Duration LAG = Duration.ofMinutes(2);

  /** Deadline to catch up after being away. */
  static final Duration CATCH_UP = Duration.ofMinutes(5);

  final GerritEndToEnd test;
  final S3Server store;
  final GerritNode a;
  final GerritNode b;
  final SlowProxy proxy;
  final Path key;

  OnTwoNodes(GerritEndToEnd test, GerritNode b, SlowProxy proxy) {
    this.test = test;
    this.store = test.store;
    this.a = test.a;
    this.b = b;
    this.proxy = proxy;
    this.key = test.key;
  }

  OnTwoNodes(OnTwoNodes both) {
    this(both.test, both.b, both.proxy);
  }

  /** Makes a second node join one that did not follow before. */
  void joinNodes() throws Exception {
    a.stop();
    for (GerritNode node : List.of(a, b)) {
      node.follow();
      node.add(Numbers.SETTINGS + Administration.SETTINGS);
    }
    a.start();
    b.join(a);
    b.start();
    ready(a);
    ready(b);
  }

  static void ready(GerritNode node) throws Exception {
    eventually(
        "ready", CATCH_UP, () -> node.status("admin", "GET", "config/server/s3-follower") == 200);
  }

  static void eventually(String what, Duration most, Callable<Boolean> condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.call()) {
      if (System.nanoTime() - start > most.toNanos()) {
        throw new AssertionError(what + ": not within " + most.toSeconds() + " s");
      }
      Thread.sleep(50);
    }
    long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
    if (millis > 1) {
      Report.say("  " + millis + " ms: " + what);
    }
  }

  static void lags(String what, Callable<Boolean> condition) throws Exception {
    eventually(what, LAG, condition);
  }

  static int number(String change) {
    return Integer.parseInt(change.substring(change.indexOf('~') + 1));
  }

  static String refs(String change) {
    return "refs/changes/%02d/%d/".formatted(number(change) % 100, number(change));
  }

  static boolean finds(GerritNode node, String change, String query) throws Exception {
    Json found = node.get("changes/?q=change:" + number(change) + "+" + query);
    return found.size() == 1;
  }

  /** All changes as the index of a node has them. */
  static Map<Integer, String> state(GerritNode node) throws Exception {
    Map<Integer, String> state = new TreeMap<>();
    Json all = node.get("changes/?q=(is:open+OR+is:closed)&n=1000&o=CURRENT_REVISION");
    for (int i = 0; i < all.size(); i++) {
      Json its = all.at(i);
      state.put(
          its.at("_number").number(),
          its.at("status").text()
              + " "
              + its.at("meta_rev_id").text()
              + " "
              + its.at("current_revision").text());
    }
    return state;
  }

  /** Waits until both find the same changes; says which they do not. */
  void equalIndexes(Duration most) throws Exception {
    try {
      eventually("equal indexes", most, () -> state(a).equals(state(b)));
    } catch (AssertionError e) {
      Map<Integer, String> onlyA = state(a);
      Map<Integer, String> onlyB = state(b);
      Map<Integer, String> all = Map.copyOf(onlyA);
      onlyA.entrySet().removeAll(onlyB.entrySet());
      onlyB.entrySet().removeAll(all.entrySet());
      throw new AssertionError(e.getMessage() + "; A has " + onlyA + ", B has " + onlyB, e);
    }
  }

  /** Documents that a node cannot index. */
  static int givenUp(GerritNode node) throws Exception {
    return node.get("config/server/s3-follower").at("given_up").number();
  }

  /** Waits until a stream has begun: it has an event of a project that is on its own node. */
  static void streams(GerritNode node, GerritNode.Events streamed, String project)
      throws Exception {
    String branch = "streaming-" + Long.toHexString(System.nanoTime()) + "-";
    AtomicInteger branches = new AtomicInteger();
    lags(
        "streaming",
        () -> {
          String next = branch + branches.incrementAndGet();
          node.put("projects/" + id(project) + "/branches/" + next, "{\"revision\":\"master\"}");
          return streamed.has(branch);
        });
  }

  /** Ends the life of a project, or its name, and returns the status. */
  static int end(GerritNode node, String user, String name, String how, String body)
      throws IOException, InterruptedException {
    return node.status(user, "POST", "projects/" + id(name) + "/s3-" + how, body);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.approve;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.status;
import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgits3.gerrit.e2e.writers.Together;

/** Clients that push and vote while something happens, and note what was acknowledged. */
final class Load {
  private static final int CLIENTS = 3;

  private final Set<String> pushed = ConcurrentHashMap.newKeySet();
  private final Set<String> voted = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean faulty = new AtomicBoolean();
  private final AtomicBoolean over = new AtomicBoolean();
  private final List<Callable<Void>> clients = new ArrayList<>();

  /** Clients of each of the nodes; their files begin with a prefix. */
  Load(GerritEndToEnd test, List<GerritNode> nodes, String project, String prefix)
      throws Exception {
    for (int client = 0; client < CLIENTS; client++) {
      GerritNode node = nodes.get(client % nodes.size());
      WorkCopy copy = test.clone(node, project);
      String files = prefix + "-" + client + "-";
      clients.add(() -> write(node, copy, files));
    }
  }

  private Void write(GerritNode node, WorkCopy copy, String files) throws Exception {
    try {
      for (int i = 0; !over.get(); i++) {
        String change = copy.newChange(files + i);
        pushed.add(change);
        approve(node, change);
        voted.add(change);
      }
    } catch (IOException e) {
      that(faulty.get(), "before the fault: " + e);
    }
    return null;
  }

  /** Does something once the clients are at work, and ends them after it; none may fail. */
  void beside(Report.Step work) throws Exception {
    clients.add(
        () -> {
          try {
            OnTwoNodes.lags("load", () -> voted.size() >= 2 * CLIENTS);
            work.run();
          } finally {
            over.set(true); // else the clients never end
          }
          return null;
        });
    Together.all(clients);
    Report.say("  acknowledged: " + pushed.size() + " pushes, " + voted.size() + " votes");
  }

  /** The same for a fault, from whose begin on requests may fail. */
  void during(Report.Step fault) throws Exception {
    beside(
        () -> {
          faulty.set(true);
          fault.run();
        });
  }

  /** Checks that a node has what was acknowledged. */
  void keptBy(GerritNode node) throws Exception {
    for (String change : pushed) {
      equal(status(node, change), "NEW", "acknowledged " + change);
    }
    for (String change : voted) {
      OnTwoNodes.lags("vote", () -> OnTwoNodes.finds(node, change, "label:Code-Review=2"));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.create;
import static org.jgits3.gerrit.e2e.Report.equal;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jgits3.gerrit.e2e.tools.Json;
import org.jgits3.gerrit.e2e.writers.Together;

/** Numbers that two Gerrits give at once, from the sequences that they share. */
final class Numbers extends OnTwoNodes {
  /** Makes a node draw each number of a change from the sequence by itself. */
  static final String SETTINGS = "[noteDb \"changes\"]\n  sequenceBatchSize = 1\n";

  private static final List<String> PROJECTS = List.of("numbers/one", "numbers/two");
  private static final int CHANGES = 12;
  private static final int PEOPLE = 5;

  Numbers(OnTwoNodes both) {
    super(both);
  }

  void run(Report report) throws InterruptedException {
    report.check("no number of a change is given by both nodes", this::changes);
    report.check("no number of an account or group is given by both nodes", this::people);
  }

  /** Creates something whose number is the answer. */
  private interface Creation {
    int number(GerritNode node, String name) throws Exception;
  }

  /** Creates things on both nodes at once, and returns their numbers. */
  private List<Integer> numbers(int count, List<Creation> creations) throws Exception {
    List<Callable<List<Integer>>> clients = new ArrayList<>();
    for (GerritNode node : List.of(a, b)) {
      String on = node == a ? "a" : "b";
      for (Creation creation : creations) {
        clients.add(
            () -> {
              List<Integer> numbers = new ArrayList<>();
              for (int i = 0; i < count; i++) {
                numbers.add(creation.number(node, on + i));
              }
              return numbers;
            });
      }
    }
    return Together.all(clients).stream().flatMap(List::stream).toList();
  }

  private static Set<Integer> unique(List<Integer> numbers, int expected) {
    Set<Integer> unique = new TreeSet<>(numbers);
    Report.say("  " + unique);
    equal(numbers.size(), expected, "numbers");
    equal(unique.size(), expected, "different numbers");
    return unique;
  }

  private void changes() throws Exception {
    List<Creation> creations = new ArrayList<>();
    for (String project : PROJECTS) {
      create(a, project, "MERGE_IF_NECESSARY");
      creations.add(
          (node, name) ->
              node.post(
                      "changes/",
                      "{\"project\":\"%s\",\"branch\":\"master\",\"subject\":\"%s\"}"
                          .formatted(project, name))
                  .at("_number")
                  .number());
    }
    Set<Integer> unique = unique(numbers(CHANGES, creations), 2 * CHANGES * PROJECTS.size());
    for (GerritNode node : List.of(a, b)) {
      lags("all changes", () -> state(node).keySet().containsAll(unique));
    }
  }

  private void people() throws Exception {
    Creation account =
        (node, name) -> node.put("accounts/numbered-" + name, "{}").at("_account_id").number();
    Creation group =
        (node, name) -> node.put("groups/numbered-" + name, "{}").at("group_id").number();
    Set<Integer> accounts = unique(numbers(PEOPLE, List.of(account)), 2 * PEOPLE);
    unique(numbers(PEOPLE, List.of(group)), 2 * PEOPLE);
    for (GerritNode node : List.of(a, b)) {
      lags("all accounts", () -> accounts(node).containsAll(accounts));
    }
  }

  private static Set<Integer> accounts(GerritNode node) throws Exception {
    Json found = node.get("accounts/?q=is:active&n=1000");
    Set<Integer> numbers = new TreeSet<>();
    for (int i = 0; i < found.size(); i++) {
      numbers.add(found.at(i).at("_account_id").number());
    }
    return numbers;
  }
}

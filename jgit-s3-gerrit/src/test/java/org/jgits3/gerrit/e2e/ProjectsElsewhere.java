// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.create;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.id;
import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.util.ArrayList;
import java.util.List;

/**
 * Projects that one Gerrit makes, moves and deletes, while another one remembers that they were
 * there, or were not. Each request comes right after what it has to see.
 */
final class ProjectsElsewhere extends OnTwoNodes {
  private static final int ROUNDS = 10;

  ProjectsElsewhere(OnTwoNodes both) {
    super(both);
  }

  void run(Report report) throws InterruptedException {
    report.check("a project deleted on one node is gone from the other at once", this::deleted);
    report.check("a project created on one node is used on the other at once", this::created);
    report.check("a project moved on one node has moved on the other at once", this::moved);
    report.check("a deleted project is created again on the other node at once", this::again);
    report.check("settings of a project are those of the other node at once", this::settings);
  }

  private static int get(GerritNode node, String name) throws Exception {
    return node.status("admin", "GET", "projects/" + id(name));
  }

  private static int put(GerritNode node, String name) throws Exception {
    return node.status("admin", "PUT", "projects/" + id(name), "{\"create_empty_commit\":true}");
  }

  private static GerritNode.Answer newChange(GerritNode node, String name) throws Exception {
    String change = "{\"project\":\"%s\",\"branch\":\"master\",\"subject\":\"s\"}".formatted(name);
    return node.rest("admin", "POST", "changes/", change);
  }

  private boolean lists(GerritNode node, String name) throws Exception {
    boolean rest = node.get("projects/").has(name);
    boolean ssh = node.ssh(key, "gerrit ls-projects").lines().anyMatch(name::equals);
    equal(ssh, rest, "listed by SSH");
    return rest;
  }

  private static void ends(GerritNode node, String name, String how, String body) throws Exception {
    int status = end(node, "admin", name, how, body);
    that(status / 100 == 2, how + ": " + status);
  }

  /** Creates a project on A that B knows, with a change that B made, and returns its name. */
  private String known(String name) throws Exception {
    create(a, name, "MERGE_IF_NECESSARY");
    equal(get(b, name), 200, "on B");
    equal(newChange(b, name).status(), 201, "change on B");
    return name;
  }

  private void deleted() throws Exception {
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      String name = known("gone/" + i);
      int number = newChange(b, name).ok().at("_number").number();
      WorkCopy copy = test.clone(b, name);
      ends(a, name, "delete", "{}");
      switch (i % 5) {
        case 0 -> answers.add("new change " + newChange(b, name).status());
        case 1 -> answers.add("project " + get(b, name));
        case 2 -> answers.add("list " + lists(b, name));
        case 3 -> answers.add("detail " + status(b, "changes/" + id(name) + "~" + number));
        default -> { // as for any project that does not exist
          String said = copy.refusal("fetch", "origin");
          that(said.contains("error: 403"), said);
        }
      }
      answers.add("then " + newChange(b, name).status() + " " + get(b, name));
    }
    Report.say("  " + answers);
    for (String answer : answers) {
      that(
          List.of("new change 422", "project 404", "list false", "detail 404", "then 422 404")
              .contains(answer),
          answer);
    }
  }

  private static int status(GerritNode node, String path) throws Exception {
    return node.status("admin", "GET", path);
  }

  private void created() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      String name = "made/" + i;
      equal(get(b, name), 404, "before");
      equal(newChange(b, name).status(), 422, "change before");
      create(a, name, "MERGE_IF_NECESSARY");
      switch (i % 4) {
        case 0 -> equal(newChange(b, name).status(), 201, "change on B");
        case 1 -> equal(get(b, name), 200, "on B");
        case 2 -> that(lists(b, name), "not listed by B");
        default -> test.clone(b, name);
      }
      equal(put(b, name), 409, "creation on B");
    }
  }

  private void moved() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      String from = known("moved/from-" + i);
      String to = "moved/to-" + i;
      equal(get(b, to), 404, "before");
      ends(a, from, "move", "{\"name\":\"" + to + "\"}");
      if (i % 2 == 0) {
        equal(newChange(b, from).status(), 422, "change under the old name");
        equal(newChange(b, to).status(), 201, "change under the new name");
      } else {
        that(lists(b, to) && !lists(b, from), "listed by B");
      }
      equal(get(b, from), 404, "old name");
      equal(get(b, to), 200, "new name");
    }
  }

  private void again() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      String name = known("again/" + i);
      ends(a, name, "delete", "{}");
      equal(put(b, name), 201, "creation on B");
      equal(newChange(b, name).status(), 201, "change on B");
      equal(newChange(a, name).status(), 201, "change on A");
      that(lists(a, name), "not listed by A");
    }
  }

  private void settings() throws Exception {
    String name = known("settings/of");
    String description = "projects/" + id(name) + "/description";
    for (int i = 0; i < ROUNDS; i++) {
      a.put(description, "{\"description\":\"text " + i + "\"}");
      equal(b.get("projects/" + id(name)).at("description").text(), "text " + i, "on B");
    }
  }
}

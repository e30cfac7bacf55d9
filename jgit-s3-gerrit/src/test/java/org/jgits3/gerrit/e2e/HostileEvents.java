// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.approve;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.create;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.id;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.submit;
import static org.jgits3.gerrit.e2e.Report.equal;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.jgits3.gerrit.e2e.plugin.EventCounter;
import org.jgits3.gerrit.e2e.tools.ThreadTimes;

/** Events of two Gerrits, of which each has a plugin that acts on all events it gets. */
final class HostileEvents extends OnTwoNodes {
  private static final String PROJECT = "hostile/events";
  private static final String PLUGIN = "event-counter";
  private static final int CHANGES = 5;
  private static final String ENDLESS = "hostile/endless";

  /** Threads that post events, as Linux names them. */
  private static final String POSTERS = "s3-follower-eve";

  /** A name that {@link #RULE} does not match, which takes until the end of time to find out. */
  private static final String BRANCH = "x".repeat(60);

  /** A rule for branches, as JSON has it. Without the back reference Java remembers what failed. */
  private static final String RULE = "^refs/heads/(x+x+)+\\\\1y";

  private final List<GerritNode> nodes;

  HostileEvents(OnTwoNodes both) {
    super(both);
    nodes = List.of(a, b);
  }

  void run(Report report) throws InterruptedException {
    report.check("plugins get an event once, and users of each node once", this::once);
    report.check("rules that take forever keep no node from following", this::endless);
  }

  /** The owner of a project makes such a rule before other nodes have posted an event. */
  private void endless() throws Exception {
    create(a, ENDLESS, "MERGE_IF_NECESSARY");
    a.put("projects/" + id(ENDLESS) + "/branches/" + BRANCH, "{\"revision\":\"master\"}");
    WorkCopy work = test.clone(a, ENDLESS);
    work.commit("endless", "text\n");
    String rule =
        """
        {"%s":{"%s":{"permissions":{"read":{"rules":{"global:Registered-Users":{
        "action":"ALLOW"}}}}}}}""";
    String access = "projects/" + id(ENDLESS) + "/access";
    try (GerritNode.Events stream = b.streamEvents("admin", key)) {
      streams(b, stream, PROJECT);
      ThreadTimes before = ThreadTimes.of(b.pid());
      b.pause();
      String hidden;
      try {
        hidden = work.pushed("push", "origin", "HEAD:refs/for/" + BRANCH);
        a.post(access, rule.formatted("add", RULE));
      } finally {
        b.resume();
      }
      WorkCopy sound = test.clone(a, PROJECT);
      for (int i = 0; i < CHANGES; i++) {
        String change = sound.newChange("sound-" + i);
        lags("change of another project", () -> finds(b, change, "status:new"));
      }
      eventually(
          "the other node looks for readers",
          CATCH_UP,
          () -> ThreadTimes.of(b.pid()).names(before, 2_000).containsKey(POSTERS));
      equal(b.readiness(), 200, "ready");
      equal(stream.count("patchset-created", number(hidden)), 0L, "events posted");
    } finally {
      a.post(access, rule.formatted("remove", RULE));
      b.stop(); // the thread would go on
      b.start();
      ready(b);
    }
  }

  private void once() throws Exception {
    for (GerritNode node : nodes) {
      install(node, PLUGIN, EventCounter.class);
    }
    create(nodes.get(0), PROJECT, "MERGE_IF_NECESSARY");
    List<GerritNode.Events> streams = new ArrayList<>();
    try {
      for (GerritNode node : nodes) {
        streams.add(node.streamEvents("admin", key));
      }
      for (int i = 0; i < nodes.size(); i++) {
        streams(nodes.get(i), streams.get(i), PROJECT);
      }
      List<Integer> changes = new ArrayList<>();
      for (int i = 0; i < CHANGES; i++) {
        GerritNode one = nodes.get(i % 2);
        GerritNode other = nodes.get((i + 1) % 2);
        String change = test.clone(one, PROJECT).newChange("counted-" + i);
        lags("change", () -> finds(other, change, "status:new"));
        approve(other, change);
        submit(one, change);
        changes.add(number(change));
      }
      for (String type : List.of("patchset-created", "comment-added", "change-merged")) {
        for (int change : changes) {
          for (GerritNode.Events stream : streams) {
            lags(type, () -> stream.count(type, change) > 0);
            equal(stream.count(type, change), 1L, type + " of a stream");
          }
          equal(counted(type, change), 1L, type + " of the plugins");
        }
      }
    } finally {
      streams.forEach(GerritNode.Events::close);
    }
  }

  private long counted(String type, int change) throws Exception {
    long counted = 0;
    for (GerritNode node : nodes) {
      Path file = node.site().resolve("data").resolve(PLUGIN).resolve(EventCounter.FILE);
      counted +=
          Files.readString(file)
              .lines()
              .filter(line -> GerritNode.isOf(line, type, change))
              .count();
    }
    return counted;
  }

  /** Puts a plugin into a site, and waits until Gerrit has loaded it, which takes a minute. */
  static void install(GerritNode node, String plugin, Class<?> code) throws Exception {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Gerrit-PluginName", plugin);
    attributes.putValue("Gerrit-ApiType", "plugin");
    String name = code.getName().replace('.', '/') + ".class";
    Path plugins = Files.createDirectories(node.site().resolve("plugins"));
    Path unfinished = node.site().resolve(plugin);
    try (OutputStream out = Files.newOutputStream(unfinished);
        JarOutputStream jar = new JarOutputStream(out, manifest);
        InputStream in = code.getClassLoader().getResourceAsStream(name)) {
      jar.putNextEntry(new ZipEntry(name));
      in.transferTo(jar);
    }
    Files.move(unfinished, plugins.resolve(plugin + ".jar"));
    eventually(
        "plugin",
        CATCH_UP,
        () -> node.status("admin", "GET", "plugins/" + plugin + "/gerrit~status") == 200);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jgits3.gerrit.e2e.tools.Programs;
import org.jgits3.gerrit.e2e.tools.SlowProxy;
import org.jgits3.gerrit.e2e.writers.FillProject;

/** Times of Gerrits on the local disk, on a bucket, and on one that is far away, in turns. */
final class Bench {
  private static final int ROUNDS = 21;

  /** Rounds before those that count: compilers take more time than a warm server does. */
  private static final int WARM_UPS = 20;

  private static final String PROJECT = "bench";

  private final Programs programs;
  private final Path directory;
  private final List<Subject> subjects = new ArrayList<>();

  /** Times in milliseconds and requests of one operation, one of each for a round. */
  private record Series(List<Long> millis, List<Integer> requests) {
    static <T extends Comparable<T>> T median(List<T> values) {
      return values.stream().sorted().toList().get(values.size() / 2);
    }
  }

  /** A Gerrit that is measured. */
  private static final class Subject {
    private final String name;
    private final S3Server store;
    private final GerritNode node;
    private final Map<String, Series> results = new LinkedHashMap<>();
    private WorkCopy work;

    /** False while the JVM warms up. */
    private boolean counts;

    /** {@code store} is null for the local disk. */
    Subject(String name, S3Server store, GerritNode node) {
      this.name = name;
      this.store = store;
      this.node = node;
    }

    void time(String operation, Report.Step step) throws Exception {
      if (!counts) {
        step.run();
        return;
      }
      int before = store == null ? 0 : store.requests().size();
      long start = System.nanoTime();
      step.run();
      long millis = (System.nanoTime() - start) / 1_000_000;
      int after = store == null ? 0 : store.settledRequests().size();
      Series series =
          results.computeIfAbsent(operation, o -> new Series(new ArrayList<>(), new ArrayList<>()));
      series.millis.add(millis);
      series.requests.add(after - before);
    }
  }

  Bench(Programs programs, Path directory) {
    this.programs = programs;
    this.directory = directory;
  }

  /**
   * Measures, and prints a table.
   *
   * @param war Gerrit
   * @param jar the jar that keeps projects in a bucket
   * @param versitygw the S3 server
   * @param changes open changes that the project has when it begins
   */
  void run(Path war, Path jar, Path versitygw, int changes) throws Exception {
    Path near = Files.createDirectories(directory.resolve("near"));
    Path far = Files.createDirectories(directory.resolve("far"));
    S3Server nearStore = new S3Server(programs, versitygw, near);
    S3Server farStore = new S3Server(programs, versitygw, far);
    try (SlowProxy proxy = SlowProxy.far(farStore.port())) {
      add("disk", war, Files.createDirectories(directory.resolve("disk")), null, 0, jar);
      add("bucket", war, near, nearStore, nearStore.port(), jar);
      add("far bucket", war, far, farStore, proxy.port(), jar);
      for (Subject subject : subjects) {
        prepare(subject, changes);
      }
      for (int round = 0; round < WARM_UPS + ROUNDS; round++) {
        for (Subject subject : subjects) {
          subject.counts = round >= WARM_UPS;
          measure(subject, round);
        }
        Report.say("round " + (round + 1) + " of " + WARM_UPS + " + " + ROUNDS);
      }
      print(changes);
    }
  }

  private void add(String name, Path war, Path site, S3Server store, int port, Path jar)
      throws IOException {
    GerritNode node = new GerritNode(programs, war, site, name.replace(' ', '-'));
    node.heap("1g");
    node.configure(store, port, jar);
    subjects.add(new Subject(name, store, node));
  }

  private void prepare(Subject subject, int changes) throws Exception {
    GerritNode node = subject.node;
    node.initialise();
    node.start();
    node.put("accounts/self/emails/admin@example.com", "{\"no_confirmation\":true}");
    GerritEndToEnd.create(node, PROJECT, "MERGE_IF_NECESSARY");
    Path place = directory.resolve("work-" + subject.name.replace(' ', '-'));
    subject.work = new WorkCopy(programs, node, place, PROJECT);
    if (changes > 0) {
      fill(subject, changes);
    }
    subject.work.renew();
    Report.say(subject.name + " is ready, with " + changes + " changes");
  }

  private void fill(Subject subject, int changes) throws Exception {
    GerritNode node = subject.node;
    String recorded = subject.work.newChange("filler");
    GerritEndToEnd.approve(node, recorded);
    node.stop();
    String number = recorded.substring(recorded.indexOf('~') + 1);
    String count = Integer.toString(changes);
    if (subject.store == null) {
      List<String> command = Programs.java(FillProject.class);
      command.addAll(List.of(node.projects().toString(), PROJECT, number, count));
      programs.run(node.projects(), Map.of(), command).ok();
    } else {
      subject.store.run(FillProject.class, PROJECT, number, count);
    }
    int before = subject.store == null ? 0 : subject.store.requests().size();
    node.reindexChanges();
    if (subject.store != null) {
      int requests = subject.store.settledRequests().size() - before;
      Report.say(subject.name + ": " + requests + " requests to index " + changes + " changes");
    }
    node.start();
  }

  private void measure(Subject subject, int round) throws Exception {
    GerritNode node = subject.node;
    WorkCopy work = subject.work;
    work.renew();
    subject.time(
        "create project", () -> GerritEndToEnd.create(node, "new/" + round, "MERGE_IF_NECESSARY"));
    work.commit("round-" + round, round + "\n");
    String[] change = new String[1];
    subject.time("push for review", () -> change[0] = work.push());
    String path = GerritEndToEnd.change(change[0]);
    subject.time("query", () -> node.get("changes/?q=status:open+limit:25"));
    subject.time("change detail", () -> node.get(path + "/detail"));
    subject.time("vote and message", () -> GerritEndToEnd.approve(node, change[0]));
    subject.time("submit", () -> node.post(path + "/submit", "{}"));
    subject.time("fetch, new", () -> work.git("fetch", "-q", "origin"));
    subject.time("fetch, nothing new", () -> work.git("fetch", "-q", "origin"));
    Path place = directory.resolve("clone-" + subject.name.replace(' ', '-') + "-" + round);
    subject.time("clone", () -> new WorkCopy(programs, node, place, PROJECT));
  }

  private void print(int changes) {
    Report.say(
        "%nmedians of %d rounds after %d, %d changes; far: a GET takes %d ms more, a PUT %d ms"
            .formatted(ROUNDS, WARM_UPS, changes, SlowProxy.READ_MILLIS, SlowProxy.WRITE_MILLIS));
    Report.say("| operation | disk, ms | bucket, ms | | far, ms | | requests |");
    Report.say("|---|---:|---:|---:|---:|---:|---:|");
    for (String operation : subjects.get(0).results.keySet()) {
      List<Long> times = new ArrayList<>();
      for (Subject subject : subjects) {
        times.add(Series.median(subject.results.get(operation).millis));
      }
      double disk = Math.max(1, times.get(0));
      Report.say(
          "| %s | %d | %d | %.1f× | %d | %.1f× | %d |"
              .formatted(
                  operation,
                  times.get(0),
                  times.get(1),
                  times.get(1) / disk,
                  times.get(2),
                  times.get(2) / disk,
                  Series.median(subjects.get(1).results.get(operation).requests)));
    }
  }
}

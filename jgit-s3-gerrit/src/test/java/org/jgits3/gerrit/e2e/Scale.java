// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jgits3.gerrit.e2e.tools.Json;
import org.jgits3.gerrit.e2e.tools.Programs;
import org.jgits3.gerrit.e2e.tools.ThreadTimes;
import org.jgits3.gerrit.e2e.writers.MakeProjects;
import org.jgits3.gerrit.e2e.writers.WriteChanges;

/**
 * Lag and processor time of a Gerrit that follows another one, with many projects: idle, and while
 * changes are written at a rate. The other one is a program that writes what a Gerrit has written.
 */
final class Scale {
  /** Name of the project that is recorded. */
  private static final String RECORDED = "recorded";

  private static final int FIRST_NUMBER = 100_000;

  /** Writes before anything is measured, so that the JVM has compiled what runs often. */
  private static final int WARM_UP_SECONDS = 300;

  private static final int IDLE_SECONDS = 30;

  /** Writes of which it is asked at a time whether the index shows them. */
  private static final int ASKED = 10;

  /** Pause between two questions, which is how exact the lag is. */
  private static final long PAUSE_MILLIS = 100;

  private static final Duration MOST = Duration.ofMinutes(30);

  private final Programs programs;
  private final Path directory;
  private final int projects;
  private final int rate;
  private final int seconds;
  private S3Server store;
  private GerritNode node;
  private String change;
  private int next = FIRST_NUMBER;

  /** A write of which it is asked whether the index shows it. */
  private record Write(long time, boolean votes, int number) {
    static Write parse(String line) {
      String[] parts = line.split(" ");
      return new Write(
          Long.parseLong(parts[0]), parts[1].equals("vote"), Integer.parseInt(parts[2]));
    }

    String query() {
      return votes ? "(change:" + number + " label:Code-Review=2)" : "change:" + number;
    }
  }

  /** Lags in milliseconds, shares of a core in percent, and writes per second. */
  private record Result(
      List<Long> lags, long worstRound, Map<ThreadTimes.Work, Double> shares, double rate) {
    long lag(double quantile) {
      return lags.isEmpty()
          ? -1
          : lags.get((int) Math.min(lags.size() - 1, lags.size() * quantile));
    }
  }

  Scale(Programs programs, Path directory, int projects, int rate, int seconds) {
    this.programs = programs;
    this.directory = directory;
    this.projects = projects;
    this.rate = rate;
    this.seconds = seconds;
  }

  /** Measures, and prints a table. */
  void run(Path war, Path jar, Path versitygw) throws Exception {
    store = new S3Server(programs, versitygw, directory);
    node = new GerritNode(programs, war, directory, "b");
    node.heap("1g");
    node.configure(store, jar);
    node.add("[cache \"projects\"]\n  memoryLimit = %d\n".formatted(2 * projects));
    node.follow();
    node.initialise();
    node.start();
    record();
    double caughtUp = make();
    Report.say("%d writes a second for %d s ...".formatted(rate, WARM_UP_SECONDS + seconds));
    Result busy = write(rate, seconds, WARM_UP_SECONDS);
    Report.say("one write a second for " + IDLE_SECONDS + " s ...");
    Result single = write(1, IDLE_SECONDS, 0);
    Report.say("idle for " + IDLE_SECONDS + " s ...");
    Result idle = idle();
    Report.say(
        "%n%d projects created at once were followed %.0f s after the last; lags are from the begin"
                .formatted(projects, caughtUp)
            + " of a write to the index, exact to %d ms".formatted(PAUSE_MILLIS));
    Report.say(
        "| projects | writes/s | lag, median | p99 | max | of "
            + "| following, % of a core | indexing | JVM | other |");
    Report.say("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (Result result : List.of(idle, single, busy)) {
      print(result);
    }
  }

  private void print(Result result) {
    Report.say(
        "| %d | %.1f | %d ms | %d ms | %d ms | %d | %s |"
            .formatted(
                projects,
                result.rate,
                result.lag(0.5),
                result.lag(0.99),
                result.lag(1),
                result.lags.size(),
                result.shares.values().stream()
                    .map("%.1f"::formatted)
                    .collect(Collectors.joining(" | "))));
  }

  private void record() throws Exception {
    node.put("accounts/self/emails/admin@example.com", "{\"no_confirmation\":true}");
    GerritEndToEnd.create(node, RECORDED, "MERGE_IF_NECESSARY");
    WorkCopy work = new WorkCopy(programs, node, directory.resolve("work"), RECORDED);
    String name = work.newChange("f");
    GerritEndToEnd.approve(node, name);
    change = name.substring(name.indexOf('~') + 1);
  }

  /** Makes the projects, and returns the seconds after which all of them were followed. */
  private double make() throws Exception {
    long start = System.nanoTime();
    store.run(MakeProjects.class, RECORDED, change, Integer.toString(projects));
    long made = System.nanoTime();
    Report.say("made %d projects in %.0f s".formatted(projects, (made - start) / 1e9));
    ThreadTimes before = ThreadTimes.of(node.pid());
    while (true) {
      GerritNode.Answer answer = follower();
      long age = (System.nanoTime() - made) / 1_000_000;
      if (answer.status() == 200 && report(answer).at("behind_millis").number() < age) {
        break;
      }
      if (age > MOST.toMillis()) {
        throw new IOException("not followed: " + answer.body());
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    ThreadTimes after = ThreadTimes.of(node.pid());
    double caughtUp = (System.nanoTime() - made) / 1e9;
    Report.say("followed %.1f s later".formatted(caughtUp));
    explain(before, after);
    return caughtUp;
  }

  private GerritNode.Answer follower() throws IOException, InterruptedException {
    return node.rest("admin", "GET", "config/server/s3-follower", null);
  }

  private static Json report(GerritNode.Answer answer) {
    return Json.parse(answer.body().substring(4));
  }

  private Result idle() throws Exception {
    ThreadTimes before = ThreadTimes.of(node.pid());
    Json first = report(follower());
    Thread.sleep(Duration.ofSeconds(IDLE_SECONDS).toMillis());
    Json last = report(follower());
    ThreadTimes after = ThreadTimes.of(node.pid());
    Report.say("rounds: " + (last.at("rounds").number() - first.at("rounds").number()));
    explain(before, after);
    return new Result(List.of(), 0, after.since(before), 0);
  }

  private static void explain(ThreadTimes before, ThreadTimes after) {
    Report.say("  shares of a core, in %: " + after.since(before));
    Report.say("  milliseconds of the busiest threads: " + after.names(before, 200));
  }

  /** Changes the projects, and measures when the first seconds are over. */
  private Result write(int perSecond, int measured, int before) throws Exception {
    Path log = directory.resolve("writes-" + next + ".txt");
    Process writer =
        store.start(
            WriteChanges.class,
            log,
            RECORDED,
            change,
            Integer.toString(projects),
            Integer.toString(perSecond),
            Integer.toString(before + measured),
            Integer.toString(next));
    next += perSecond * (before + measured);
    List<Write> waiting = new ArrayList<>();
    List<Long> lags = new ArrayList<>();
    long worst = 0;
    long asked = 0;
    int read = 0;
    long begin = 0;
    long from = 0;
    ThreadTimes start = null;
    ThreadTimes end = null;
    int written = 0;
    long deadline = System.nanoTime() + MOST.toNanos();
    while (end == null || !waiting.isEmpty()) {
      if (System.nanoTime() > deadline) {
        throw new IOException("not followed: " + waiting + " " + follower().body());
      }
      List<String> lines = lines(log);
      if (begin == 0 && !lines.isEmpty()) {
        begin = Write.parse(lines.get(0)).time;
        from = begin + Duration.ofSeconds(before).toMillis();
      }
      long now = System.currentTimeMillis();
      if (start == null && begin > 0 && now >= from) {
        start = ThreadTimes.of(node.pid());
        written = lines.size();
      }
      if (start != null && end == null && !writer.isAlive()) {
        end = ThreadTimes.of(node.pid());
        written = lines.size() - written;
      }
      if (start != null && lines.size() > read && waiting.size() < ASKED) {
        waiting.add(Write.parse(lines.get(lines.size() - 1)));
      }
      read = lines.size();
      if (!waiting.isEmpty()) {
        shown(waiting, lags);
      }
      if (start != null && now - asked > Duration.ofSeconds(1).toMillis()) {
        worst = Math.max(worst, report(follower()).at("lag_millis").number());
        asked = now;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    if (writer.exitValue() != 0) {
      throw new IOException("the writer failed, see " + log);
    }
    explain(start, end);
    Report.say("  longest lag that a round reported, in ms: " + worst);
    Report.say("  follower: " + report(follower()).value());
    return new Result(
        lags.stream().sorted().toList(),
        worst,
        end.since(start),
        written * 1e9 / (end.moment() - start.moment()));
  }

  /** Complete lines of what the writer has said so far. */
  private static List<String> lines(Path log) throws IOException {
    String text = Files.readString(log);
    return text.substring(0, text.lastIndexOf('\n') + 1)
        .lines()
        .filter(line -> Character.isDigit(line.charAt(0))) // not what slf4j says
        .toList();
  }

  /** Asks which writes the index shows, and notes their lags. */
  private void shown(List<Write> waiting, List<Long> lags) throws Exception {
    String query = waiting.stream().map(Write::query).collect(Collectors.joining(" OR "));
    Json found = node.get("changes/?q=" + URLEncoder.encode(query, UTF_8));
    long now = System.currentTimeMillis();
    Set<Integer> numbers = new HashSet<>();
    for (int i = 0; i < found.size(); i++) {
      numbers.add(found.at(i).at("_number").number());
    }
    for (Iterator<Write> each = waiting.iterator(); each.hasNext(); ) {
      Write write = each.next();
      if (numbers.contains(write.number)) {
        lags.add(now - write.time);
        each.remove();
      }
    }
  }
}

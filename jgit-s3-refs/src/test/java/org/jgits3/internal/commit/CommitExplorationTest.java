// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.PutOutcome;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.Test;

/**
 * Random schedules of several writers against the real committer, as in the models A0, A10 and A13:
 * at every request other writers may run, writes may be delayed, repeated, lost or answered twice,
 * processes may die, and the repository may be deleted and created anew.
 *
 * <p>A schedule follows from its seed, which a failure names.
 */
@Holds(
    "CommitLoop: A success is reported only after the write was acknowledged or found (A0, A10, "
        + "A13)")
class CommitExplorationTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final int SCHEDULES = RandomSeed.count(300, 1500);

  @Test
  void A0_two_writers_with_lost_and_repeated_writes() {
    explore(2, false, false);
  }

  @Test
  void A0c_writers_that_die_and_come_back() {
    explore(2, true, false);
  }

  @Test
  void A10_three_writers_with_everything_but_late_creation() {
    explore(3, true, true);
  }

  @Test
  void A13_everything_at_once() {
    explore(4, true, true);
  }

  private static void explore(int writers, boolean deaths, boolean deletions) {
    RandomSeed.forEach(SCHEDULES, seed -> new Schedule(seed, writers, deaths, deletions).run());
  }

  /** Stands for the death of a process: no code of it runs any more. */
  private static final class Death extends Error {}

  private static final class Schedule {
    private final boolean deaths;
    private final boolean deletions;
    private final SplittableRandom random;
    private final ScriptedStore store = new ScriptedStore();
    private final VirtualTime time = new VirtualTime();
    private final CommitPolicy policy = new CommitPolicy(Duration.ofMillis(60));
    private final RepositoryCatalog catalog;
    private final ManifestCommitter[] writers;
    private final List<ScriptedStore.PutRequest> late = new ArrayList<>();
    private final List<Register.Applied> log = new ArrayList<>();
    private final Map<String, Register.Report> reports = new HashMap<>();
    private final Map<String, String> expected = new HashMap<>();
    private int operations;
    private int depth;

    Schedule(int seed, int writers, boolean deaths, boolean deletions) {
      this.deaths = deaths;
      this.deletions = deletions;
      this.random = new SplittableRandom(seed);
      this.catalog = new RepositoryCatalog(store, policy, time, random.split());
      this.writers = new ManifestCommitter[writers];
    }

    void run() throws IOException {
      store.onApplied(this::record);
      Register.create(catalog, NAME);
      store.everyPut(this::put);
      store.everyGet(
          get -> {
            interfere();
            return get.read();
          });
      for (int i = 0; i < 6; i++) {
        operate(random.nextInt(writers.length));
      }
      late.forEach(ScriptedStore.PutRequest::apply);
      check();
    }

    private void record(ScriptedStore.PutRequest request) {
      request.manifest().ifPresent(this::record);
    }

    private void record(Manifest made) {
      if (!made.holdsRepository()) {
        log.add(new Register.Applied("DELETE", null, null));
      } else if (made.log().tail().isEmpty()) {
        log.add(new Register.Applied("CREATE", null, "0"));
      } else {
        log.addAll(Register.madeBy(made));
      }
    }

    /** One operation of a writer that is not busy in an outer frame. */
    private void operate(int writer) {
      if (operations >= 14) {
        return;
      }
      String op = "op" + operations++;
      String from = random.nextInt(3) == 0 ? null : Integer.toString(random.nextInt(3));
      String to = Integer.toString(random.nextInt(3));
      if (from != null) {
        expected.put(op, from);
      }
      ManifestCommitter committer = take(writer);
      try {
        reports.put(
            op,
            Register.run(
                committer, from == null ? Register.set(op, to) : Register.cas(op, from, to)));
        writers[writer] = committer;
      } catch (Death death) {
        reports.put(op, Register.Report.UNKNOWN);
      }
    }

    /** Takes a committer out of the table, so that nested operations do not use it meanwhile. */
    private ManifestCommitter take(int writer) {
      ManifestCommitter committer = writers[writer];
      writers[writer] = null;
      return committer != null && random.nextInt(8) != 0
          ? committer
          : new ManifestCommitter(StoredManifest.file(store, NAME), policy, time, random.split());
    }

    private PutOutcome put(ScriptedStore.PutRequest request) throws IOException {
      interfere();
      PutOutcome outcome = ScriptedStore.NO_ANSWER;
      switch (random.nextInt(8)) {
        case 0 -> late.add(request);
        case 1 -> request.apply();
        case 2 -> {
          late.add(request);
          request.apply();
        }
        case 3 -> {
          request.apply();
          interfere();
          outcome = request.apply(); // a copy made on the way, and its answer
        }
        case 4 -> late.add(request);
        default -> outcome = request.apply();
      }
      interfere();
      if (deaths && random.nextInt(20) == 0) {
        throw new Death();
      }
      return outcome;
    }

    private void interfere() throws IOException {
      if (depth >= 3) {
        return;
      }
      depth++;
      try {
        switch (random.nextInt(12)) {
          case 0, 1 -> operate(random.nextInt(writers.length));
          case 2 -> deliver();
          case 3 -> {
            if (deletions) {
              deleteOrCreate();
            }
          }
          default -> {}
        }
      } finally {
        depth--;
      }
    }

    private void deliver() {
      if (!late.isEmpty()) {
        ScriptedStore.PutRequest request = late.get(random.nextInt(late.size()));
        request.apply();
        if (random.nextBoolean()) {
          late.remove(request);
        }
      }
    }

    private void deleteOrCreate() {
      try {
        if (random.nextInt(3) == 0) {
          catalog.delete(Optional.empty(), NAME, any -> {});
        } else {
          Register.create(catalog, NAME);
        }
      } catch (IOException | Death outcomeDoesNotMatter) {
        return;
      }
    }

    private void check() {
      Map<String, Integer> times = new HashMap<>();
      String value = null;
      for (Register.Applied applied : log) {
        if (applied.to() == null) {
          value = null;
        } else if (applied.from() == null) {
          value = applied.to();
        } else {
          assertThat(times.merge(applied.op(), 1, Integer::sum)).as(story(applied.op())).isOne();
          assertThat(value).as(story(applied.op())).isNotNull().isEqualTo(applied.from());
          assertThat(expected.getOrDefault(applied.op(), value))
              .as(story(applied.op()))
              .isEqualTo(value);
          value = applied.to();
        }
      }
      reports.forEach((op, report) -> checkReport(op, report, times.containsKey(op)));
    }

    private void checkReport(String op, Register.Report report, boolean applied) {
      if (report == Register.Report.OK) {
        assertThat(applied).as(story(op)).isTrue();
      } else if (report != Register.Report.UNKNOWN) {
        assertThat(applied).as(story(op)).isFalse();
      }
    }

    private String story(String op) {
      return op + " reported " + reports.get(op) + ", applied " + log;
    }
  }
}

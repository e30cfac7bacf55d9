// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * Conditional writes and reads of one object from many threads at once. A store that compares and
 * writes in two steps passes every sequential check and fails here.
 *
 * <p>A race is a number of rounds. In a round, four racers write one object at once under the same
 * condition, which holds; exactly one of them must win. More racers would mostly wait for each
 * other. Instead, races run side by side, each with objects of its own.
 */
final class RaceChecks {
  static final int RACERS = 4;

  /** Races side by side. */
  static final int LANES = 8;

  /**
   * Size of a race. A store that is too far away for all rounds gets fewer, but each lane gets one.
   *
   * @param lanes races side by side
   * @param rounds most rounds of each
   */
  private record Extent(int lanes, int rounds) {}

  private static final Extent CREATIONS = new Extent(LANES, 400 / LANES);

  /**
   * Extent that finds one wrong write in a hundred. If a share <i>p</i> of the writes is checked
   * first and written then, and a part <i>q</i> of those meets another write in between, <i>n</i>
   * rounds find nothing with probability (1 - 4<i>pq</i>)<sup><i>n</i></sup>. Behind a proxy that
   * does this, <i>q</i> was about 0.5.
   */
  private static final Extent UPDATES = new Extent(LANES, 800 / LANES);

  private static final Extent BRIEF = new Extent(1, 1);

  private static final int OVERWRITES = 50;

  /**
   * Age of the probe at which the races end. Two seconds are left for the last round, and for the
   * few requests after it.
   */
  private static final Duration END = Duration.ofSeconds(18);

  private final ProbeRun run;
  private final ObjectStore store;

  RaceChecks(ProbeRun run) {
    this.run = run;
    this.store = run.store();
  }

  /** Finds a store that decides one write in a hundred wrongly. */
  void full() throws IOException {
    conditions(CREATIONS, UPDATES);
    run.check(Property.TORN_READ, this::readWhileWritten);
  }

  /** Finds a store that ignores conditions, or mostly does: ten requests. */
  void brief() throws IOException {
    conditions(BRIEF, BRIEF);
  }

  private void conditions(Extent creations, Extent updates) throws IOException {
    run.check(
        Property.CREATE_RACE,
        () -> {
          Duration until = part(1, 4);
          return race(creations, lane -> create(creations, lane, until));
        });
    run.check(
        Property.UPDATE_RACE,
        () -> {
          Duration until = part(3, 4);
          return race(updates, lane -> update(updates, lane, until));
        });
  }

  /** Age of the probe when it has used a part of the time that is left for the races. */
  private Duration part(int numerator, int denominator) {
    Duration age = run.age();
    return age.plus(END.minus(age).multipliedBy(numerator).dividedBy(denominator));
  }

  private boolean goesOn(int round, int rounds, Duration until) {
    return round == 0 || (round < rounds && run.age().compareTo(until) < 0);
  }

  private static Optional<String> race(Extent extent, Racer<Optional<String>> lane)
      throws IOException {
    try (Racers lanes = new Racers(extent.lanes())) {
      return lanes.run(lane).stream().flatMap(Optional::stream).findFirst();
    }
  }

  private Optional<String> create(Extent extent, int lane, Duration until) throws IOException {
    try (Racers racers = new Racers(RACERS)) {
      for (int round = 0; goesOn(round, extent.rounds(), until); round++) {
        String key = run.key("race/create-" + lane + "-" + round);
        Round result = round(racers, key, Precondition.absent());
        if (result.won().size() > 1) {
          return Optional.of(result + " creations of one object; repositories would be lost");
        }
        if (result.won().isEmpty() && !result.undecided()) {
          return Optional.of(result + " creations of an object that did not exist");
        }
      }
    }
    return Optional.empty();
  }

  private Optional<String> update(Extent extent, int lane, Duration until) throws IOException {
    String key = run.key("race/update-" + lane);
    ObjectVersion version = create(key, body());
    // An undecided write may still come, after the version that it replaces was read.
    boolean doubt = false;
    try (Racers racers = new Racers(RACERS)) {
      for (int round = 0; goesOn(round, extent.rounds(), until); round++) {
        Round result = round(racers, key, Precondition.matches(version));
        if (result.won().size() > 1) {
          return Optional.of(result + " updates of one version; pushes would be lost");
        }
        if (result.won().isEmpty() && !result.undecided() && !doubt) {
          return Optional.of(result + " updates, though nothing else was; pushes would be lost");
        }
        version = result.won().isEmpty() ? current(key) : result.won().get(0);
        doubt = result.won().isEmpty() && result.undecided();
      }
    }
    return doubt || current(key).equals(version)
        ? Optional.empty()
        : Optional.of("the last acknowledged update is not there; pushes would be lost");
  }

  /** Creates an object, of which nothing is known but that it has not existed before. */
  private ObjectVersion create(String key, byte[] body) throws IOException {
    if (run.attempt(key, body, Precondition.absent()) instanceof PutOutcome.Won won) {
      return won.version();
    }
    throw new StoreException.Changed(key, "a new object could not be created", null);
  }

  private Round round(Racers racers, String key, Precondition precondition) throws IOException {
    return Round.of(racers.run(racer -> store.putIf(key, body(), precondition)));
  }

  private ObjectVersion current(String key) throws IOException {
    if (store.get(key, Optional.empty()) instanceof GetResult.Found found) {
      return found.version();
    }
    throw new StoreException.Missing(key, "an object that was updated is not there", null);
  }

  private Optional<String> readWhileWritten() throws IOException {
    String key = run.key("race/read");
    create(key, selfChecking(0));
    AtomicBoolean writing = new AtomicBoolean(true);
    AtomicBoolean torn = new AtomicBoolean();
    try (Racers racers = new Racers(RACERS)) {
      racers.run(
          racer -> {
            if (racer == 0) {
              overwrite(key, writing);
              return null;
            }
            while (writing.get() && !torn.get()) {
              if (!(store.get(key, Optional.empty()) instanceof GetResult.Found found)
                  || !isWhole(found.bytes())) {
                torn.set(true);
              }
            }
            return null;
          });
    }
    return torn.get()
        ? Optional.of("a read saw a mixture of two versions; repositories would look damaged")
        : Optional.empty();
  }

  private void overwrite(String key, AtomicBoolean writing) throws IOException {
    try {
      for (int i = 0; goesOn(i, OVERWRITES, END); i++) {
        store.putIf(key, selfChecking(i + 1), Precondition.matches(current(key)));
      }
    } finally {
      writing.set(false);
    }
  }

  /** A body whose length and every byte follow from its first one. */
  private static byte[] selfChecking(int generation) {
    byte[] body = new byte[1 + generation * 6_007 % 60_013];
    Arrays.fill(body, (byte) generation);
    return body;
  }

  private static boolean isWhole(byte[] body) {
    return body.length > 0 && Arrays.equals(body, selfChecking(body[0]));
  }

  /** A unique body, so that no two versions are equal. */
  private static byte[] body() {
    return UUID.randomUUID().toString().getBytes(US_ASCII);
  }

  /** Outcome of one round: the versions of the winners. */
  private record Round(int racers, List<ObjectVersion> won, boolean undecided) {
    static Round of(List<PutOutcome> outcomes) {
      List<ObjectVersion> won = new ArrayList<>();
      boolean undecided = false;
      for (PutOutcome outcome : outcomes) {
        if (outcome instanceof PutOutcome.Won winner) {
          won.add(winner.version());
        }
        undecided |= outcome instanceof PutOutcome.Unknown;
      }
      return new Round(outcomes.size(), won, undecided);
    }

    @Override
    public String toString() {
      return "the store acknowledged " + won.size() + " of " + racers + " concurrent";
    }
  }

  /** Work of one of several threads. */
  @FunctionalInterface
  private interface Racer<T> {
    T run(int number) throws IOException;
  }

  /** Threads that start together. */
  private static final class Racers implements AutoCloseable {
    private final int number;
    private final ExecutorService threads;

    Racers(int number) {
      this.number = number;
      this.threads = Executors.newFixedThreadPool(number);
    }

    <T> List<T> run(Racer<T> racer) throws IOException {
      List<Callable<T>> calls = new ArrayList<>();
      for (int i = 0; i < number; i++) {
        int racerNumber = i;
        calls.add(() -> racer.run(racerNumber));
      }
      try {
        List<T> results = new ArrayList<>();
        for (Future<T> each : threads.invokeAll(calls)) {
          results.add(each.get());
        }
        return results;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw (IOException) new InterruptedIOException("probe interrupted").initCause(e);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IOException failure) {
          throw failure;
        }
        throw new IllegalStateException(e.getCause());
      }
    }

    @Override
    public void close() {
      threads.shutdownNow();
    }
  }
}

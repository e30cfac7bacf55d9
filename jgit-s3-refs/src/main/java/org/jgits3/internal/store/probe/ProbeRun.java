// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * State of one probe: the keys it used, the dialect it found, and its results so far. Keys may be
 * taken by many threads.
 */
final class ProbeRun {
  private final ObjectStore store;
  private final String prefix = Leftovers.prefix(Instant.now());
  private final Consumer<String> begun;
  private final LongSupplier nanoTime;
  private final long began;
  private final Set<String> keys = ConcurrentHashMap.newKeySet();
  private final Map<Property, Check> checks = new EnumMap<>(Property.class);

  private Dialect dialect;

  /**
   * Begins a probe.
   *
   * @param store the store
   * @param dialect dialect of the first writes
   * @param begun told of each check when it begins, in one line
   * @param nanoTime clock that bounds the races
   */
  ProbeRun(ObjectStore store, Dialect dialect, Consumer<String> begun, LongSupplier nanoTime) {
    this.store = store;
    speak(dialect);
    this.begun = begun;
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong();
  }

  ObjectStore store() {
    return store;
  }

  /** Dialect in which writes are sent now. */
  Dialect dialect() {
    return dialect;
  }

  /** Sends writes from now on in another dialect. */
  void speak(Dialect other) {
    dialect = other;
    store.probedService().ifPresent(service -> service.speak(other));
  }

  /** Time since the probe began. */
  Duration age() {
    return Duration.ofNanos(nanoTime.getAsLong() - began);
  }

  /** Tests whether no required check has failed. */
  boolean isGood() {
    return report().ok();
  }

  /** Prefix of all keys of this probe. */
  String prefix() {
    return prefix;
  }

  /** A key of this probe, deleted when it ends. */
  String key(String name) {
    String key = prefix + name;
    keys.add(key);
    return key;
  }

  /**
   * Checks a property, and notes the result.
   *
   * @param trial tries it out; returns the observation and its consequence if the store lacks it
   * @throws StoreException.Unavailable if the store does not answer
   */
  void check(Property property, IoSupplier<Optional<String>> trial) throws IOException {
    begun.accept(property.toString());
    Optional<String> wrong;
    try {
      wrong = trial.get();
    } catch (StoreException.Missing | StoreException.Changed | StoreException.Corrupt e) {
      wrong = Optional.of(e.getMessage());
    } catch (StoreException.Refused e) {
      if (checks.isEmpty() && !(e instanceof StoreException.Unsupported)) {
        throw e; // not even one request was allowed, so nothing is known about the store
      }
      wrong = Optional.of(e.getMessage());
    }
    checks.put(property, wrong.map(property::failed).orElseGet(property::held));
  }

  /** Makes one attempt of a conditional write, which the store must decide. */
  PutOutcome attempt(String key, String body, Precondition precondition) throws IOException {
    return attempt(key, body.getBytes(US_ASCII), precondition);
  }

  /** Makes one attempt of a conditional write, which the store must decide. */
  PutOutcome attempt(String key, byte[] body, Precondition precondition) throws IOException {
    PutOutcome outcome = store.putIf(key, body, precondition);
    if (outcome instanceof PutOutcome.Unknown unknown) {
      throw new StoreException.Unavailable(
          key, store.location() + ": gave no answer to a probe: " + unknown.reason(), null);
    }
    return outcome;
  }

  /**
   * Ends the probe of a store that stopped answering. Throws the failure again if no check failed
   * before, because then nothing is known about the store.
   */
  void endedBy(StoreException.Unavailable failure) throws StoreException.Unavailable {
    if (isGood()) {
      throw failure;
    }
    checks.put(
        Property.ANSWERS, Property.ANSWERS.failed("no more checks: " + failure.getMessage()));
  }

  /**
   * Deletes the objects that were written. If the store does not allow it, reports that, but the
   * store still counts as safe.
   */
  void cleanUp() {
    try {
      store.delete(keys);
      checks.put(Property.DELETE, Property.DELETE.held());
    } catch (IOException e) {
      String detail =
          "nothing can be swept, and objects stay below " + prefix + ": " + e.getMessage();
      checks.put(Property.DELETE, Property.DELETE.failed(detail));
    }
  }

  ProbeReport report() {
    return new ProbeReport(store.location(), dialect, List.copyOf(checks.values()));
  }
}

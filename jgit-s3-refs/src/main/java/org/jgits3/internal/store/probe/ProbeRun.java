// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * State of one probe: the keys it used, and its results so far. Keys may be taken by many threads.
 */
final class ProbeRun {
  private final ObjectStore store;
  private final String prefix = Leftovers.prefix(Instant.now());
  private final long began = System.nanoTime();
  private final Set<String> keys = ConcurrentHashMap.newKeySet();
  private final List<Check> checks = new ArrayList<>();

  ProbeRun(ObjectStore store) {
    this.store = store;
  }

  ObjectStore store() {
    return store;
  }

  /** Tests whether less time has passed since the probe began. */
  boolean isYoungerThan(Duration age) {
    return System.nanoTime() - began < age.toNanos();
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

  void require(String name, String property, IoSupplier<Optional<String>> trial)
      throws IOException {
    check(name, property, true, trial);
  }

  void inform(String name, String property, IoSupplier<Optional<String>> trial) throws IOException {
    check(name, property, false, trial);
  }

  private void check(
      String name, String property, boolean required, IoSupplier<Optional<String>> trial)
      throws IOException {
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
    checks.add(new Check(name, wrong.isEmpty(), wrong.orElse(property), required));
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
    checks.add(new Check("answers", false, "no more checks: " + failure.getMessage(), false));
  }

  /**
   * Deletes the objects that were written. If the store does not allow it, reports that, but the
   * store still counts as safe.
   */
  void cleanUp() {
    try {
      store.delete(keys);
      checks.add(new Check("delete", true, "objects can be deleted", false));
    } catch (IOException e) {
      checks.add(
          new Check(
              "delete",
              false,
              "nothing can be swept, and objects stay below " + prefix + ": " + e.getMessage(),
              false));
    }
  }

  ProbeReport report() {
    return new ProbeReport(store.location(), checks);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.ProbedService;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * Ranges, listings, deletes, conditions on a missing object, and checksums: nine requests, one
 * after the other, and one more if the store verifies only the second checksum.
 */
final class ObjectChecks {
  private static final int SIZE = 10_000;

  private final ProbeRun run;
  private final ObjectStore store;
  private final String key;
  private final byte[] body = new byte[SIZE];

  /** Version of the object that is listed; null if it could not be read. */
  private ObjectVersion version;

  ObjectChecks(ProbeRun run) {
    this.run = run;
    this.store = run.store();
    this.key = run.key("listed/x");
    new Random(SIZE).nextBytes(body);
  }

  void run() throws IOException {
    run.check(Property.LIST_AFTER_WRITE, this::listWritten);
    run.check(Property.RANGE, this::range);
    if (version != null) {
      run.check(Property.IF_MATCH_MISSING, this::replaceMissing);
      run.check(Property.RANGE_IF_MATCH, this::staleRange);
    }
    run.check(Property.LIST_AFTER_DELETE, this::listDeleted);
    Optional<ProbedService> service = store.probedService();
    if (service.isPresent()) {
      run.check(Property.PUT_CHECKSUM, () -> wrongPut(service.get()));
    }
  }

  /** Finds out which checksum the store verifies. */
  private Optional<String> wrongPut(ProbedService service) throws IOException {
    for (Dialect.Checksum checksum : Dialect.Checksum.values()) {
      run.speak(run.dialect().with(checksum));
      if (service.refusesWrongPut(run.key("checksum-" + checksum))) {
        return Optional.empty();
      }
    }
    return Optional.of("bytes that were damaged on the way would be stored");
  }

  private Optional<String> listWritten() throws IOException {
    store.put(key, body, 0, body.length);
    return list().equals(List.of(key))
        ? Optional.empty()
        : Optional.of("an object that was written is not listed; repositories would not be found");
  }

  private Optional<String> range() throws IOException {
    byte[] dst = new byte[200];
    version = store.read(key, 5_000, dst, 50, 100, Optional.empty());
    return Arrays.equals(dst, 50, 150, body, 5_000, 5_100)
        ? Optional.empty()
        : Optional.of("a ranged read delivered other bytes; packs would be unreadable");
  }

  private Optional<String> replaceMissing() throws IOException {
    PutOutcome outcome = run.attempt(run.key("missing"), "body", Precondition.matches(version));
    return outcome instanceof PutOutcome.Won
        ? Optional.of("a write with a version of another object created one")
        : Optional.empty();
  }

  private Optional<String> staleRange() throws IOException {
    byte[] other = Arrays.copyOfRange(body, 1, body.length);
    if (!(run.attempt(key, other, Precondition.matches(version)) instanceof PutOutcome.Won)) {
      return Optional.of(
          "a version that a read gave was refused by a write; no push could succeed");
    }
    try {
      store.read(key, 0, new byte[10], 0, 10, Optional.of(version));
    } catch (StoreException.Changed e) {
      return Optional.empty();
    }
    return Optional.of("ranges of two versions would be mixed");
  }

  private Optional<String> listDeleted() throws IOException {
    try {
      store.delete(List.of(key));
    } catch (StoreException.Refused e) {
      return Optional.empty(); // these credentials may not delete, which is reported at the end
    }
    return list().isEmpty()
        ? Optional.empty()
        : Optional.of("an object that was deleted is still listed");
  }

  private List<String> list() throws IOException {
    List<String> keys = new ArrayList<>();
    store.list(run.prefix() + "listed/", object -> keys.add(object.key()));
    return keys;
  }
}

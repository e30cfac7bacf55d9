// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jgits3.store.ChecksumProbe;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/** Missing objects, ranges, listings, deletes and checksums, one request after the other. */
final class ObjectChecks {
  private static final int SIZE = 10_000;

  private final ProbeRun run;
  private final ObjectStore store;
  private final byte[] body = new byte[SIZE];

  ObjectChecks(ProbeRun run) {
    this.run = run;
    this.store = run.store();
    new Random(SIZE).nextBytes(body);
  }

  void run() throws IOException {
    run.require("if-match-missing", "a missing object is not replaced", this::replaceMissing);
    run.require("range", "a range has the bytes it should", this::range);
    run.require("range-if-match", "a range of an outdated version is refused", this::staleRange);
    run.require("list-after-write", "a listing shows a write at once", this::listWritten);
    run.require("list-after-delete", "a listing shows a delete at once", this::listDeleted);
    Optional<ChecksumProbe> checksums = store.checksumProbe();
    if (checksums.isPresent()) {
      run.require(
          "put-checksum",
          "an object with a wrong checksum is refused",
          () ->
              checksums.get().refusesWrongPut(run.key("checksum"))
                  ? Optional.empty()
                  : Optional.of("bytes that were damaged on the way would be stored"));
    }
  }

  private Optional<String> replaceMissing() throws IOException {
    String key = run.key("missing");
    ObjectVersion foreign = write("other");
    PutOutcome outcome = run.attempt(key, "body", Precondition.matches(foreign));
    return outcome instanceof PutOutcome.Won
        ? Optional.of("a write with a version of another object created one")
        : Optional.empty();
  }

  private Optional<String> range() throws IOException {
    write("range");
    byte[] dst = new byte[200];
    store.read(run.key("range"), 5_000, dst, 50, 100, Optional.empty());
    return Arrays.equals(dst, 50, 150, body, 5_000, 5_100)
        ? Optional.empty()
        : Optional.of("a ranged read delivered other bytes; packs would be unreadable");
  }

  private Optional<String> staleRange() throws IOException {
    ObjectVersion version = write("stale-range");
    byte[] dst = new byte[10];
    store.read(run.key("stale-range"), 0, dst, 0, 10, Optional.of(version));
    run.attempt(run.key("stale-range"), "a new and longer body", Precondition.matches(version));
    try {
      store.read(run.key("stale-range"), 0, dst, 0, 10, Optional.of(version));
    } catch (StoreException.Changed e) {
      return Optional.empty();
    }
    return Optional.of("ranges of two versions would be mixed");
  }

  private Optional<String> listWritten() throws IOException {
    write("listed/x");
    return list().equals(List.of(run.key("listed/x")))
        ? Optional.empty()
        : Optional.of("an object that was written is not listed; repositories would not be found");
  }

  private Optional<String> listDeleted() throws IOException {
    try {
      store.delete(List.of(run.key("listed/x")));
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

  private ObjectVersion write(String name) throws IOException {
    String key = run.key(name);
    store.put(key, body, 0, body.length);
    return store.stat(key).orElseThrow(() -> missing(key)).version();
  }

  private static StoreException missing(String key) {
    return new StoreException.Missing(key, key + " was written, but is not there", null);
  }
}

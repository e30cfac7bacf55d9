// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.PutOutcome;

/**
 * Conditional reads and writes of one object, one after the other: six requests, and one more if
 * the store takes only the second form of {@code If-Match}.
 *
 * <p>All bodies have one length and follow each other within one tick of most clocks, so that a
 * version made of length and time would not tell them apart.
 */
final class ConditionChecks {
  private static final String FIRST = "first  body";
  private static final String AGAIN = "again  body";
  private static final String SECOND = "second body";
  private static final String THIRD = "third  body";

  private final ProbeRun run;
  private final String key;
  private ObjectVersion first;
  private ObjectVersion second;

  ConditionChecks(ProbeRun run) {
    this.run = run;
    this.key = run.key("conditions");
  }

  void run() throws IOException {
    run.check(Property.CREATE, this::create);
    if (first == null) {
      return;
    }
    run.check(Property.CREATE_IF_ABSENT, this::createAgain);
    run.check(Property.REPLACE_IF_MATCH, this::replace);
    if (second == null) {
      return;
    }
    run.check(Property.DISTINCT_VERSIONS, this::distinct);
    run.check(Property.STALE_IF_MATCH, this::replaceAgain);
    run.check(Property.READ_AFTER_WRITE, this::readBack);
    run.check(Property.NOT_MODIFIED, this::readUnchanged);
  }

  private Optional<String> create() throws IOException {
    if (run.attempt(key, FIRST, Precondition.absent()) instanceof PutOutcome.Won won) {
      first = won.version();
      return Optional.empty();
    }
    return Optional.of("an object that does not exist could not be created");
  }

  private Optional<String> createAgain() throws IOException {
    PutOutcome outcome = run.attempt(key, AGAIN, Precondition.absent());
    if (outcome instanceof PutOutcome.Won won) {
      first = won.version();
      return Optional.of(
          "an object that exists was created again, so If-None-Match of a PUT is ignored;"
              + " concurrent creations would lose repositories");
    }
    return Optional.empty();
  }

  /** Finds out which form of {@code If-Match} the store takes. */
  private Optional<String> replace() throws IOException {
    for (Dialect.IfMatch form : Dialect.IfMatch.values()) {
      run.speak(run.dialect().with(form));
      if (run.attempt(key, SECOND, Precondition.matches(first)) instanceof PutOutcome.Won won) {
        second = won.version();
        return Optional.empty();
      }
    }
    return Optional.of("a write with the current version was refused; no push could succeed");
  }

  private Optional<String> distinct() {
    return first.equals(second)
        ? Optional.of("two different bodies have one version; concurrent pushes would lose updates")
        : Optional.empty();
  }

  private Optional<String> replaceAgain() throws IOException {
    if (run.attempt(key, THIRD, Precondition.matches(first)) instanceof PutOutcome.Won won) {
      second = won.version();
      return Optional.of(
          "a write with an outdated version was accepted, so If-Match of a PUT is ignored;"
              + " concurrent pushes would lose updates");
    }
    return Optional.empty();
  }

  private Optional<String> readBack() throws IOException {
    GetResult result = run.store().get(key, Optional.of(first));
    boolean current =
        result instanceof GetResult.Found found
            && found.version().equals(second)
            && (Arrays.equals(found.bytes(), SECOND.getBytes(US_ASCII))
                || Arrays.equals(found.bytes(), THIRD.getBytes(US_ASCII)));
    return current
        ? Optional.empty()
        : Optional.of("a read after a write did not see it; pushes would seem to be undone");
  }

  private Optional<String> readUnchanged() throws IOException {
    return run.store().get(key, Optional.of(second)) instanceof GetResult.NotModified
        ? Optional.empty()
        : Optional.of("unchanged objects are sent again; every look-up costs a transfer");
  }
}

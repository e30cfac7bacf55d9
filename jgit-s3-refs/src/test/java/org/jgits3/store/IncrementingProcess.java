// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jgits3.internal.store.file.DirectoryObjectStore;

/** A process that increments a counter in a directory, and prints a line for each increment won. */
public final class IncrementingProcess {
  public static final String COUNTER = "shared/counter";

  private IncrementingProcess() {}

  /**
   * Increments.
   *
   * @param args directory, and how many increments to win
   */
  public static void main(String[] args) throws IOException {
    try (ObjectStore store = new DirectoryObjectStore(Path.of(args[0]))) {
      for (int won = 0; won < Integer.parseInt(args[1]); ) {
        PutOutcome outcome = increment(store);
        if (outcome instanceof PutOutcome.Won) {
          System.out.println("won");
          won++;
        } else if (!(outcome instanceof PutOutcome.Lost)) {
          throw new IOException(outcome.toString());
        }
      }
    }
  }

  /** Makes one attempt; fails if the counter is not a number. */
  public static PutOutcome increment(ObjectStore store) throws IOException {
    GetResult.Found seen = (GetResult.Found) store.get(COUNTER, Optional.empty());
    return store.putIf(
        COUNTER,
        Integer.toString(value(seen) + 1).getBytes(US_ASCII),
        Precondition.matches(seen.version()));
  }

  public static int value(GetResult.Found found) {
    return Integer.parseInt(new String(found.bytes(), US_ASCII));
  }
}

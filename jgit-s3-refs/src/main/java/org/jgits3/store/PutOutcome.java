// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.time.Duration;

/**
 * The three outcomes of one attempt of a conditional write. There is no fourth: a caller that
 * treats {@link Unknown} as either of the others loses or repeats an update.
 */
public sealed interface PutOutcome {
  /**
   * The write was applied and acknowledged.
   *
   * @param version version that the write made
   */
  record Won(ObjectVersion version) implements PutOutcome {}

  /**
   * The store refused this attempt because the precondition did not hold when it was checked. The
   * reason may be an earlier attempt of the same write whose answer was lost. Whether the key is
   * missing or has another version is not told: not every store does.
   */
  record Lost() implements PutOutcome {}

  /**
   * The outcome is not known: the attempt may have been applied, may be applied later, or never.
   *
   * @param reason one line for the log and for messages
   * @param pause least time before the write is retried: until its turn among the retries of the
   *     process, or as long as the store asked for
   */
  record Unknown(String reason, Duration pause) implements PutOutcome {
    /**
     * An unknown outcome after which the write may be repeated at once.
     *
     * @param reason one line for the log and for messages
     */
    public Unknown(String reason) {
      this(reason, Duration.ZERO);
    }
  }
}

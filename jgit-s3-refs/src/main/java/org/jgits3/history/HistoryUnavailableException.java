// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;

/** The history does not lead from where somebody wants to read it. Nothing was read or changed. */
public final class HistoryUnavailableException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Why. */
  public enum Reason {
    /** The repository has not come to that generation; it may have been restored from a copy. */
    FUTURE,
    /** That generation is before the first transaction of the history. */
    NOT_REACHED,
    /** The position belongs to another repository, or to another one of the same name. */
    OTHER_LIFE
  }

  private final Reason reason;

  HistoryUnavailableException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /**
   * Why; whoever follows a history begins anew in any case.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }
}

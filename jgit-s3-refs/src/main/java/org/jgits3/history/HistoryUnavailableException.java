// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;

/** The history cannot be read from the requested position. Nothing was read or changed. */
public final class HistoryUnavailableException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Reason why the history is unavailable. */
  public enum Reason {
    /** The repository has not reached that generation; it may have been restored from a copy. */
    FUTURE,
    /** That generation is before the first transaction of the history. */
    NOT_REACHED,
    /** The position belongs to another repository, or to a deleted one of the same name. */
    OTHER_LIFE,
    /** The cursor is of another store. */
    OTHER_STORE,
    /** The bytes are not a cursor, are damaged, or have another version of the format. */
    UNREADABLE_CURSOR
  }

  private final Reason reason;

  HistoryUnavailableException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /**
   * Reason why the history is unavailable; in all cases a follower has to start again from the
   * current refs.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }
}

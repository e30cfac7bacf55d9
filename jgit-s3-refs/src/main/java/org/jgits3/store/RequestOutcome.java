// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/** Outcome of a request to a store, for counting. */
public enum RequestOutcome {
  /** The request did what was asked. */
  OK,
  /** The caller's version is the current one: {@link GetResult.NotModified}. */
  NOT_MODIFIED,
  /** There is no such object. */
  MISSING,
  /** A precondition did not hold: {@link PutOutcome.Lost} or {@link StoreException.Changed}. */
  LOST,
  /** The write may or may not have been applied: {@link PutOutcome.Unknown}. */
  UNKNOWN,
  /** {@link StoreException.Corrupt}. */
  CORRUPT,
  /** {@link StoreException.Unavailable}. */
  UNAVAILABLE,
  /** {@link StoreException.Refused}. */
  REFUSED,
  /** Any other failure. */
  FAILED;

  public static RequestOutcome of(Throwable failure) {
    if (failure instanceof StoreException.Missing) {
      return MISSING;
    }
    if (failure instanceof StoreException.Changed) {
      return LOST;
    }
    if (failure instanceof StoreException.Corrupt) {
      return CORRUPT;
    }
    if (failure instanceof StoreException.Unavailable) {
      return UNAVAILABLE;
    }
    return failure instanceof StoreException.Refused ? REFUSED : FAILED;
  }
}

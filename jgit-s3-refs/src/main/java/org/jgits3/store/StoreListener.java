// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/** Hears of every request to a store after it ended: metrics and request counts. */
@FunctionalInterface
public interface StoreListener {
  /**
   * A request ended. Called on the thread that made it; must be quick and not throw.
   *
   * @param kind verb
   * @param outcome how it ended
   * @param bytes content bytes that were sent or received; 0 if it failed
   * @param nanos time from call to return, retries within the store included
   */
  void requestEnded(RequestKind kind, RequestOutcome outcome, long bytes, long nanos);
}

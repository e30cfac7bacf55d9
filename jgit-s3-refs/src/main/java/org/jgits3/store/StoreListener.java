// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/** Listener to the requests of a store, for metrics and request counts. */
@FunctionalInterface
public interface StoreListener {
  /**
   * Called when a request has ended, on the thread that made it. Must be quick and must not throw.
   *
   * @param kind verb
   * @param outcome result of the request
   * @param bytes content bytes that were sent or received; 0 if it failed
   * @param nanos time from call to return, retries within the store included
   */
  void requestEnded(RequestKind kind, RequestOutcome outcome, long bytes, long nanos);
}

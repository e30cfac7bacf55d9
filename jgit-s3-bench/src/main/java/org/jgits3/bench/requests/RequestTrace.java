// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.StoreListener;

/**
 * Notes all requests that something caused, but not those of work in the background, which come
 * whenever they may. Safe for use by many threads.
 */
final class RequestTrace implements StoreListener {
  private static final Set<String> BACKGROUND = Set.of("jgit-s3-compaction", "jgit-s3-maintenance");

  private final List<Cost.Request> requests = new ArrayList<>(); // guarded by this

  @Override
  public void requestEnded(RequestKind kind, RequestOutcome outcome, long bytes, long nanos) {
    long end = System.nanoTime();
    if (!BACKGROUND.contains(Thread.currentThread().getName())) {
      add(new Cost.Request(kind, bytes, end - nanos, end));
    }
  }

  private synchronized void add(Cost.Request request) {
    requests.add(request);
  }

  /** Returns the requests since the last call. */
  synchronized Cost take() {
    Cost cost = new Cost(List.copyOf(requests));
    requests.clear();
    return cost;
  }
}

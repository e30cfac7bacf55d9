// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.gerrit.server.index.OnlineUpgradeListener;
import com.google.inject.Singleton;
import java.util.HashSet;
import java.util.Set;

/**
 * Indexes that this Gerrit makes anew while it serves. It collects the states to be indexed first,
 * and writes their documents later, over newer ones, too. Safe for use by many threads.
 */
@Singleton
public final class OnlineReindexes implements OnlineUpgradeListener {
  /** Threads that each make an index. Gerrit does not report the end of one that fails. */
  private final Set<Thread> threads = new HashSet<>(); // guarded by this

  /** Tests whether an index is being made. */
  synchronized boolean areRunning() {
    threads.removeIf(thread -> !thread.isAlive());
    return !threads.isEmpty();
  }

  @Override
  public synchronized void onStart(String index, int from, int to) {
    threads.add(Thread.currentThread());
  }

  @Override
  public void onSuccess(String index, int from, int to) {
    // the thread ends next
  }

  @Override
  public void onFailure(String index, int from, int to) {
    // the thread ends next
  }
}

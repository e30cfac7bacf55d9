// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.aid;

import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.jgits3.store.ConcurrentTasks;

/** Does something when the first task of an operation begins. Used by one thread. */
public final class AtFirstTask extends EmptyProgressMonitor {
  private ConcurrentTasks.Task action;

  /** Prepares an action; an exception of it fails the test. */
  public AtFirstTask(ConcurrentTasks.Task action) {
    this.action = action;
  }

  @Override
  public void beginTask(String title, int totalWork) {
    ConcurrentTasks.Task first = action;
    action = () -> {};
    Unchecked.run(first);
  }
}

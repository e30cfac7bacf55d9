// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.io.IOException;

/** An operation whose requests are bounded, in the order of the table of measured round trips. */
enum BudgetedOperation {
  LOOKUP_UNCHANGED("look-up, nothing changed", 1, run -> run.lookUpAgain("always")),
  LOOKUP_IN_WINDOW("look-up within the validity window", 0, run -> run.lookUpAgain("1 h")),
  LOOKUP_COLD("first look-up after a cold start", 3, Operations::lookUpCold),
  BATCH_UPDATE("batch of 1,000 ref updates, warm", 1, Operations::batchUpdate),
  SMALL_PUSH("small push, warm server", 3, Operations::smallPush),
  NOOP_FETCH("fetch with nothing new, warm server", 1, Operations::noopFetch),
  /** Beside those that its pack takes when it is read in ranges of the size that is set. */
  COLD_CLONE("clone of a collected repository, cold server", 5, Operations::coldClone),
  FOREIGN_COMPACTION("look-up after a compaction elsewhere", 1, Operations::foreignCompaction),
  LISTING_COLD("open and list of all refs, cold process", 3, Operations::listingCold),
  LS_REMOTE_COLD("`ls-remote` in protocol 2, cold server", 4, Operations::lsRemoteCold),
  CREATE("creation of a repository", 2, Operations::create),
  DELETE("deletion of a repository, cold process", 5, Operations::delete),
  FORK("fork of a template that is known", 3, Operations::fork),
  /** Beside those that a store takes whose listings have no versions. */
  IDLE_COLLECTIONS("`gc --all`, all repositories idle", 2, Operations::idleCollections),
  IDLE_SWEEPS("`sweep --all`, all repositories idle", 3, Operations::idleSweeps);

  private final String title;
  private final int budget;

  @SuppressWarnings("ImmutableEnumChecker") // a reference to a method
  private final Execution execution;

  /** Does an operation and says what it took. */
  @FunctionalInterface
  interface Execution {
    Cost in(Operations operations) throws IOException, InterruptedException;
  }

  BudgetedOperation(String title, int budget, Execution execution) {
    this.title = title;
    this.budget = budget;
    this.execution = execution;
  }

  /** Name in the results. */
  String title() {
    return title;
  }

  /** Most requests. */
  int budget() {
    return budget;
  }

  /** Does it and says what it took. */
  Cost costIn(Operations operations) throws IOException, InterruptedException {
    return execution.in(operations);
  }
}

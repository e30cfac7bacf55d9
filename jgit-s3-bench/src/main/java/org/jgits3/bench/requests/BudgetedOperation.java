// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.util.Optional;

/** An operation whose requests are bounded, in the order of the table of measured round trips. */
enum BudgetedOperation {
  LOOKUP_UNCHANGED("look-up, nothing changed", 1, "lookup_unchanged"),
  LOOKUP_IN_WINDOW("look-up within the validity window", 0, null),
  LOOKUP_COLD("first look-up after a cold start", 3, "lookup_cold"),
  BATCH_UPDATE("batch of 1,000 ref updates, warm", 1, "batch_update"),
  SMALL_PUSH("small push, warm server", 3, "small_push"),
  NOOP_FETCH("fetch with nothing new, warm server", 1, "noop_fetch"),
  /** Beside those that its pack takes when it is read in ranges of the size that is set. */
  COLD_CLONE("clone of a collected repository, cold server", 5, "cold_clone_overhead"),
  FOREIGN_COMPACTION("look-up after a compaction elsewhere", 1, "foreign_compaction"),
  LISTING_COLD("open and list of all refs, cold process", 3, "listing_cold"),
  LS_REMOTE_COLD("`ls-remote` in protocol 2, cold server", 4, "ls_remote_cold"),
  CREATE("creation of a repository", 2, "create"),
  DELETE("deletion of a repository, cold process", 5, "delete"),
  FORK("fork of a template that is known", 3, "fork"),
  /** Beside those that a store takes whose listings have no versions. */
  IDLE_COLLECTIONS("`gc --all`, all repositories idle", 2, "idle_collections"),
  IDLE_SWEEPS("`sweep --all`, all repositories idle", 3, "idle_sweeps");

  private final String title;
  private final int budget;
  private final Optional<String> key;

  BudgetedOperation(String title, int budget, String key) {
    this.title = title;
    this.budget = budget;
    this.key = Optional.ofNullable(key);
  }

  /** Name in the results. */
  String title() {
    return title;
  }

  /** Most requests. */
  int budget() {
    return budget;
  }

  /** Headline key, if it has one. */
  Optional<String> key() {
    return key;
  }
}

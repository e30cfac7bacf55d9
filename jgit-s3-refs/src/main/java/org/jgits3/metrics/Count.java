// SPDX-License-Identifier: Apache-2.0
package org.jgits3.metrics;

import java.util.Locale;
import java.util.Optional;

/** Events that a manager counts, in all its repositories. */
public enum Count {
  /** Manifests that were parsed. An unchanged one is not parsed again. */
  DECODINGS("manifest.decodings", "Manifests that were parsed"),

  /** Changes that were reported as not written because their deadline passed. */
  COMMITS_LATE("commits.late", "Changes that were not written before their deadline"),

  /** Changes of unknown outcome: the store did not say before the deadline. */
  UNKNOWN_NO_ANSWER,

  /** Changes of unknown outcome: more writers have committed since than a manifest remembers. */
  UNKNOWN_PRUNED,

  /**
   * Changes of unknown outcome: the repository was deleted or renamed since, or its manifest is
   * missing.
   */
  UNKNOWN_REPLACED,

  /** Changes of unknown outcome: the manifest cannot be read. */
  UNKNOWN_UNREADABLE,

  /** Changes of unknown outcome: the process failed, for example because it ran out of memory. */
  UNKNOWN_ERROR,

  /** Folds of refs or log in the background that were due, and ended without an error. */
  FOLDS("folds", "Folds of refs or log in the background"),

  /**
   * Folds of refs or log that a commit had to wait for, because its manifest was full: a sign that
   * packs are not merged, or that the store is too slow for background folds to keep up.
   */
  FOREGROUND_FOLDS(
      "folds.foreground", "Folds that a commit had to wait for, since its manifest was full"),

  /**
   * Snapshots and segments that were uploaded in vain and deleted, because another fold was faster.
   */
  FOLDS_LOST("folds.lost", "Snapshots and log segments uploaded in vain, and deleted"),

  /**
   * Objects of transaction logs that a fold could not read because they are damaged or missing.
   * Each is named once in the log of the process.
   */
  DAMAGED_LOG_OBJECTS("log.damaged", "Objects of transaction logs that are damaged or missing"),

  /** Downloads of snapshots that began. */
  DOWNLOADS("downloads", "Refs snapshots whose download was begun"),

  /** Snapshots that were downloaded, parsed, and found to be intact. */
  PARSES("parses", "Refs snapshots that were downloaded and parsed"),

  /**
   * Snapshots of other processes that this one derived from an older snapshot and proved by their
   * SHA-256.
   */
  DERIVATIONS("derivations", "Refs snapshots of others that were made here instead of downloaded"),

  /**
   * Snapshots that were fetched and compared with the table in memory, because versions are not
   * trusted.
   */
  COMPARISONS("comparisons", "Refs snapshots fetched again to be compared"),

  /**
   * Comparisons that found other bytes, though a snapshot never changes: a damaged store, a network
   * path that alters bytes, or damaged memory.
   */
  DIFFERENCES("differences", "Refs snapshots that had other bytes when they were compared"),

  /**
   * Tables that were evicted, because the tables of all repositories did not fit the memory set for
   * them. One that is larger than that memory counts each time it is read.
   */
  EVICTIONS("evictions", "Refs snapshots let go to make room for others");

  private static final String UNKNOWN = "UNKNOWN_";

  private final String meter;
  private final String description;

  Count() {
    this("commits.unknown", "Changes whose outcome was reported as unknown");
  }

  Count(String meter, String description) {
    this.meter = meter;
    this.description = description;
  }

  /**
   * Name of the meter, which several events may share.
   *
   * @return words separated by dots
   */
  public String meter() {
    return meter;
  }

  /**
   * Reason for which an outcome is unknown. An attempt is in doubt in each case.
   *
   * @return one word, which tells events of one meter apart; empty for other events
   */
  public Optional<String> cause() {
    return name().startsWith(UNKNOWN)
        ? Optional.of(name().substring(UNKNOWN.length()).toLowerCase(Locale.ROOT))
        : Optional.empty();
  }

  /**
   * Description for people.
   *
   * @return one line
   */
  public String description() {
    return description;
  }
}

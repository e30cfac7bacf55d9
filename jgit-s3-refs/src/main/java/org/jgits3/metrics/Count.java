// SPDX-License-Identifier: Apache-2.0
package org.jgits3.metrics;

/** Events that a manager counts, in all its repositories. */
public enum Count {
  /** Manifests that were parsed. An unchanged one is not parsed again. */
  DECODINGS("manifest.decodings", "Manifests that were parsed"),

  /** Changes that were reported as not written because their deadline passed. */
  COMMITS_LATE("commits.late", "Changes that were not written before their deadline"),

  /** Changes that may or may not have been made. The exception that reports one says why. */
  COMMITS_UNKNOWN("commits.unknown", "Changes whose outcome was reported as unknown"),

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

  private final String meter;
  private final String description;

  Count(String meter, String description) {
    this.meter = meter;
    this.description = description;
  }

  /**
   * Name of the meter.
   *
   * @return words separated by dots
   */
  public String meter() {
    return meter;
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

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.metrics;

/** Reasons for an unknown outcome. An attempt is in doubt in each case. */
public enum UnknownCause {
  /** The store did not say before the deadline. */
  NO_ANSWER,
  /** More writers have committed since than a manifest remembers. */
  PRUNED,
  /** The repository was deleted or renamed since, or its manifest is missing. */
  REPLACED,
  /** The manifest cannot be read. */
  UNREADABLE,
  /** The process failed, for example because it ran out of memory. */
  ERROR
}

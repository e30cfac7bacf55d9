// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.time.Duration;

/**
 * Policy for when a look-up asks the store whether the known refs are current: {@code [s3 "refs"]
 * validate}. Updates are always decided on validated refs.
 */
public sealed interface Validation {
  /** At every look-up, so that it sees every update acknowledged before it began. */
  record Always() implements Validation {}

  /**
   * Once for each opened repository handle: later look-ups see what this process has learned since,
   * by its own updates or because another handle asked.
   */
  record AfterOpen() implements Validation {}

  /**
   * Unless the refs were validated recently.
   *
   * @param window maximum age of the refs that a look-up sees
   */
  record Within(Duration window) implements Validation {}

  /** The default. */
  Validation ALWAYS = new Always();
}

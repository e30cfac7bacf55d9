// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

/** Kind of what a client does. */
enum Operation {
  LS_REFS("ls-refs"),
  CLONE("clone"),
  FETCH("fetch"),
  PUSH("push"),
  /** A listing that is read at a few kB a second, until the end of the run as a rule. */
  SLOW_READ("slow ls-refs"),
  /** A push at a few kB a second. */
  SLOW_PUSH("slow push"),
  /** A push whose client vanishes in the middle, until the server drops it. */
  SILENT("silent push"),
  /** A listing whose answer is not read, until the server drops it. */
  SILENT_READ("silent ls-refs");

  private final String words;

  Operation(String words) {
    this.words = words;
  }

  String words() {
    return words;
  }
}

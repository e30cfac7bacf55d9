// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

/** The queue in which JGit's walks sort commits by time. */
public final class CommitQueue {
  /** Property of JGit, which it documents in {@code config-options.md}. */
  private static final String PROPERTY = "REVWALK_USE_PRIORITY_QUEUE";

  private CommitQueue() {}

  /**
   * Makes the queue a heap in this process, unless the user has set JGit's property. JGit's default
   * is a sorted list: a walk from n commits takes time in proportion to n².
   */
  public static void useHeap() {
    System.getProperties().putIfAbsent(PROPERTY, "true");
  }
}

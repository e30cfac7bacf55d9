// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

/**
 * Generations of one repository that this process has committed, the newest {@value #REMEMBERED}.
 * Forgotten with the process. Safe for use by many threads.
 */
final class OwnCommits {
  private static final int REMEMBERED = 256;

  private long[] generations = {}; // most repositories are only read
  private int next;

  synchronized void add(long generation) {
    if (generations.length == 0) {
      generations = new long[REMEMBERED];
    }
    generations[next] = generation;
    next = (next + 1) % REMEMBERED;
  }

  synchronized boolean contains(long generation) {
    for (long each : generations) {
      if (each == generation) {
        return generation != 0;
      }
    }
    return false;
  }
}

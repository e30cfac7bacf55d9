// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Search for the smallest heap with which something succeeds, several times in a row. Begins at a
 * guess, goes from there in growing strides to one heap that is enough and one that is not, and
 * halves what is between them; enough is what succeeds {@value #ROUGHLY} times in a row. If more
 * successes are asked for, the heap that was found has to have them all anew, since it was chosen
 * by its successes (unless it is the guess, which was not); after a failure among those it searches
 * in the same way, half as exactly, for a larger heap that has them. For one search, by one thread.
 */
final class Bisection {
  /** First stride, as a part of what the guess has beyond the least heap. */
  private static final int STRIDES = 32;

  /** Factor by which a search is coarser in which each heap costs many trials. */
  private static final int COARSER = 2;

  /** Successes in a row of a heap that is enough for going on with the search. */
  private static final int ROUGHLY = 3;

  private final int resolution;
  private final int inARow;
  private final int least;
  private final int most;
  private final Trial trial;
  private final List<Step> steps = new ArrayList<>();

  /** Finds out whether a heap is enough. */
  @FunctionalInterface
  interface Trial {
    /**
     * Tries once.
     *
     * @param megabytes size of the heap in MiB
     * @return whether it succeeded; false only if the heap was too small
     * @throws IOException if it failed for another reason
     */
    boolean enough(int megabytes) throws IOException, InterruptedException;
  }

  /**
   * One trial.
   *
   * @param megabytes size of the heap in MiB
   * @param enough whether it was enough
   */
  record Step(int megabytes, boolean enough) {}

  /**
   * Result of a search.
   *
   * @param megabytes the smallest heap in MiB
   * @param steps all trials in their order
   */
  record Found(int megabytes, List<Step> steps) {}

  /**
   * A search.
   *
   * @param resolution how exact, in MiB, at least 1
   * @param inARow successes that are asked for, at least 1
   * @param least smallest heap that is tried, in MiB
   * @param most largest heap that is tried, in MiB
   * @param trial what is tried
   */
  Bisection(int resolution, int inARow, int least, int most, Trial trial) {
    if (resolution < 1 || inARow < 1 || least < 1 || most < least) {
      throw new IllegalArgumentException(resolution + ", " + inARow + ", " + least + " to " + most);
    }
    this.resolution = resolution;
    this.inARow = inARow;
    this.least = least;
    this.most = most;
    this.trial = trial;
  }

  /**
   * Searches.
   *
   * @param guess heap to begin with, in MiB
   * @return what was found
   * @throws IOException if the largest heap is not enough, or a trial failed for another reason
   */
  Found from(int guess) throws IOException, InterruptedException {
    int first = Math.max(least, Math.min(guess, most));
    int stride = Math.max(resolution, (first - least) / STRIDES);
    int roughly = Math.min(inARow, ROUGHLY);
    Trial rough = heap -> inARow(heap, roughly);
    int found =
        rough.enough(first)
            ? downFrom(first, stride, rough)
            : upFrom(first, stride, resolution, rough);
    int had = found == first ? roughly : 0;
    if (roughly < inARow && !inARow(found, inARow - had)) {
      found = upFrom(found, resolution, COARSER * resolution, heap -> inARow(heap, inARow));
    }
    return new Found(found, List.copyOf(steps));
  }

  /** From a heap that is enough to the smallest one. */
  private int downFrom(int heap, int firstStride, Trial enough)
      throws IOException, InterruptedException {
    int stride = firstStride;
    int large = heap;
    int small = Math.max(least - 1, large - stride);
    while (small >= least && enough.enough(small)) {
      stride *= 2;
      large = small;
      small = Math.max(least - 1, large - stride);
    }
    return between(small, large, resolution, enough);
  }

  /** From a heap that is not enough to the smallest one that is. */
  private int upFrom(int heap, int firstStride, int exactly, Trial enough)
      throws IOException, InterruptedException {
    int stride = firstStride;
    int small = heap;
    int large = larger(small, stride);
    while (!enough.enough(large)) {
      stride *= 2;
      small = large;
      large = larger(small, stride);
    }
    return between(small, large, exactly, enough);
  }

  private int between(int tooSmall, int largeEnough, int exactly, Trial enough)
      throws IOException, InterruptedException {
    int small = tooSmall;
    int large = largeEnough;
    while (large - small > exactly) {
      int middle = small + (large - small) / 2;
      if (enough.enough(middle)) {
        large = middle;
      } else {
        small = middle;
      }
    }
    return large;
  }

  private boolean inARow(int heap, int count) throws IOException, InterruptedException {
    for (int successes = 0; successes < count; successes++) {
      if (!enough(heap)) {
        return false;
      }
    }
    return true;
  }

  private int larger(int heap, int stride) throws IOException {
    if (heap == most) {
      throw new IOException("-Xmx" + most + "m is not enough, or it takes too long");
    }
    return Math.min(most, heap + stride);
  }

  private boolean enough(int megabytes) throws IOException, InterruptedException {
    boolean enough = trial.enough(megabytes);
    steps.add(new Step(megabytes, enough));
    return enough;
  }
}

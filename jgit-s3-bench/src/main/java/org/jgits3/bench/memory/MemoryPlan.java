// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.util.Arrays;
import java.util.List;
import org.jgits3.bench.Effort;

/**
 * Measurements and their precision.
 *
 * @param downloads ways to land an object
 * @param object size of that object in MiB
 * @param uploads settings of uploads
 * @param upload size of an upload in MiB
 * @param largeUpload size of an upload that is much larger, in MiB
 * @param inARow successes that are asked for
 * @param inARowIfLarge successes that are asked for of the large upload
 * @param steps precision as a fraction of the result; never finer than 1 MiB
 */
record MemoryPlan(
    List<Download> downloads,
    int object,
    List<Upload> uploads,
    int upload,
    int largeUpload,
    int inARow,
    int inARowIfLarge,
    int steps) {
  private static final int OBJECT = 258;
  private static final int UPLOAD = 256;
  private static final int LARGE_UPLOAD = 4096;

  static MemoryPlan of(Effort effort) {
    List<Upload> defaults = List.of(Upload.DEFAULTS);
    List<Upload> uploads = List.of(Upload.DEFAULTS, Upload.THREE_OF_8M, Upload.THREE_OF_5M);
    List<Download> all = Arrays.asList(Download.values());
    return switch (effort) {
      case SMALLEST ->
          new MemoryPlan(
              List.of(Download.OURS, Download.SDK_APACHE5, Download.SDK_NETTY_ASYNC),
              16,
              defaults,
              12,
              24,
              1,
              1,
              4);
      case QUICK -> new MemoryPlan(all, OBJECT, defaults, UPLOAD, LARGE_UPLOAD, 3, 1, 16);
      case FULL -> new MemoryPlan(all, OBJECT, uploads, UPLOAD, LARGE_UPLOAD, 20, 20, 16);
    };
  }

  /** Tests whether its figures are those that the suite is judged by. */
  boolean ofFullSize() {
    return object == OBJECT && upload == UPLOAD && largeUpload == LARGE_UPLOAD;
  }

  /** Number of searches. */
  int searches() {
    return downloads.size() + uploads.size() + 1;
  }
}

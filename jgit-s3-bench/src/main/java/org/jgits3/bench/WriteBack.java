// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.IOException;
import java.time.Duration;
import org.jgits3.bench.process.Leftovers;

/** Write-back of dirty pages by the system, so that no engine pays for writes of the one before. */
public final class WriteBack {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private WriteBack() {}

  /**
   * Waits until it is written, two minutes at most. Without effect on what another machine serves.
   *
   * @throws IOException if this system has no {@code sync}
   * @throws InterruptedException if the thread was interrupted
   */
  public static void finish() throws IOException, InterruptedException {
    Leftovers.run(new ProcessBuilder("sync"), LIMIT);
  }
}

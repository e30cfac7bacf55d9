// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jgits3.bench.process.Leftovers;

/**
 * What the system has not written to its disks yet, so that whoever is measured next does not pay
 * for what another one has left.
 */
public final class WriteBack {
  private static final long MINUTES = 2;

  private WriteBack() {}

  /**
   * Waits until it is written, two minutes at most. Without effect on what another machine serves.
   *
   * @throws IOException if this system has no {@code sync}
   * @throws InterruptedException if the thread was interrupted
   */
  public static void finish() throws IOException, InterruptedException {
    Process sync = Leftovers.start(new ProcessBuilder("sync"));
    try {
      sync.waitFor(MINUTES, TimeUnit.MINUTES);
    } finally {
      sync.destroyForcibly();
    }
  }
}

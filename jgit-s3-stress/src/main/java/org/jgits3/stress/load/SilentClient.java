// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.io.IOException;

/** Vanishes in the middle of a push, and waits until the server drops it. */
final class SilentClient implements Client {
  private final PushClient push;
  private final Tally tally;

  /**
   * Creates a client.
   *
   * @param push pushes through a {@link SilentProxy}
   * @param tally where it is counted
   */
  SilentClient(PushClient push, Tally tally) {
    this.push = push;
    this.tally = tally;
  }

  @Override
  public void step() throws IOException, InterruptedException {
    long began = System.nanoTime();
    try {
      push.step();
    } catch (IOException e) {
      if (!e.getMessage().startsWith(Operation.SILENT.words())
          || e.getMessage().contains("hangs")) {
        throw e;
      }
      tally.done(Operation.SILENT, began);
      return;
    }
    throw new IOException("a push was done of which the server got a part only");
  }
}

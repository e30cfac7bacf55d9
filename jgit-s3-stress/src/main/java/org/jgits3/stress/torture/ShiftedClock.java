// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.server.Main;

/**
 * Time of JGit and the library that is ahead of the machine's, or behind it. Requests to the store
 * are signed with the machine's, or it would refuse them.
 */
final class ShiftedClock extends SystemReader.Delegate {
  private final SystemReader machine;
  private final Duration ahead;

  private ShiftedClock(SystemReader machine, Duration ahead) {
    super(machine);
    this.machine = machine;
    this.ahead = ahead;
  }

  /**
   * Shifts the clock of this process.
   *
   * @param ahead how far; negative for a clock that is late
   */
  static void set(Duration ahead) {
    SystemReader.setInstance(new ShiftedClock(SystemReader.getInstance(), ahead));
  }

  /**
   * Runs {@code jgit-s3} with a shifted clock.
   *
   * @param args how far it is ahead, as a {@link Duration}; then the command line
   */
  public static void main(String[] args) {
    set(Duration.parse(args[0]));
    Main.main(Arrays.copyOfRange(args, 1, args.length));
  }

  @Override
  public Instant now() {
    return machine.now().plus(ahead);
  }

  @Override
  public long getCurrentTime() {
    return now().toEpochMilli();
  }
}

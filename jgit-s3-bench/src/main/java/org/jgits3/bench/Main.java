// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.util.Arrays;

/** Entry point of the program. */
public final class Main {
  private Main() {}

  /**
   * Runs suites and ends the JVM.
   *
   * @param args command line
   */
  public static void main(String[] args) {
    boolean torture = args.length > 0 && args[0].equals(TortureCommand.NAME);
    System.exit(
        torture
            ? TortureCommand.commandLine().execute(Arrays.copyOfRange(args, 1, args.length))
            : BenchCommand.commandLine().execute(args));
  }
}

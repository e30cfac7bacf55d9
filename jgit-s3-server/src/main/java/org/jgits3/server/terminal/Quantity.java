// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import java.time.Duration;
import java.util.Locale;

/** Formats numbers for people. */
public final class Quantity {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  private static final int STEP = 1024;

  private Quantity() {}

  /** Formats a number of things: {@code 1 ref}, {@code 2 refs}. */
  public static String of(long count, String thing) {
    return count + " " + thing + (count == 1 ? "" : "s");
  }

  /** Formats the size of a repository: {@code 1 ref, 2 objects, 1.5 MiB}. */
  public static String of(int refs, long objects, long bytes) {
    return of(refs, "ref") + ", " + of(objects, "object") + ", " + ofBytes(bytes);
  }

  /** Formats bytes in the largest unit that gives at least one: {@code 1.5 MiB}. */
  static String ofBytes(long bytes) {
    if (bytes < STEP) {
      return of(bytes, "byte");
    }
    double value = bytes;
    int unit = 0;
    while (value >= STEP && unit < UNITS.length - 1) {
      value /= STEP;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
  }

  /** Formats a time in minutes and seconds, with hours if there are any: {@code 1:02:03}. */
  public static String of(Duration time) {
    long hours = time.toHours();
    String rest =
        String.format(Locale.ROOT, "%02d:%02d", time.toMinutesPart(), time.toSecondsPart());
    return hours > 0 ? hours + ":" + rest : rest;
  }
}

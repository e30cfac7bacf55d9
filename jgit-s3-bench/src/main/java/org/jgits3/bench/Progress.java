// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Tells which case of which suite is measured, and how long the run has taken. Thread-safe. */
public final class Progress {
  private final Consumer<String> out;
  private final LongSupplier nanos;
  private final long start;

  /** Guarded by this, as are the others that change. */
  private String suite = "";

  private int expected;
  private int begun;

  /**
   * Progress of a run that begins now.
   *
   * @param out gets lines
   * @param nanos a clock, as {@link System#nanoTime}
   */
  public Progress(Consumer<String> out, LongSupplier nanos) {
    this.out = out;
    this.nanos = nanos;
    this.start = nanos.getAsLong();
  }

  /**
   * The next suite begins.
   *
   * @param name its name
   */
  public synchronized void suite(String name) {
    suite = name;
    expected = 0;
    begun = 0;
  }

  /**
   * Tells how many cases the suite has.
   *
   * @param cases how often {@link #begin} will be called
   */
  public synchronized void expect(int cases) {
    expected = cases;
  }

  /**
   * The next case of the suite begins.
   *
   * @param what case and engine
   */
  public synchronized void begin(String what) {
    begun++;
    line(what);
  }

  /**
   * Something worth knowing happened within a case, or between two.
   *
   * @param what one line
   */
  public synchronized void note(String what) {
    line("  " + what);
  }

  private void line(String what) {
    String of = begun == 0 ? "" : " " + begun + (expected == 0 ? "" : "/" + expected);
    long seconds = Duration.ofNanos(nanos.getAsLong() - start).toSeconds();
    out.accept(
        String.format(
            Locale.ROOT, "[%s%s, %d:%02d] %s", suite, of, seconds / 60, seconds % 60, what));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jgit.lib.BatchingProgressMonitor;
import org.jgits3.store.StoreListener;
import picocli.CommandLine;

/**
 * Shows on a terminal what a long command is at: a bar, how much is done, at what rate, and how
 * much time is left at that rate. Where it is not to be shown it only counts.
 *
 * <p>Updated by one thread and by JGit's timer, redrawn at most once a second and at each percent.
 */
final class ProgressBar extends BatchingProgressMonitor implements Closeable {
  private static final Path STDERR = Path.of("/proc/self/fd/2");
  private static final int WIDTH = 20;
  private static final double MILLIS = 1000;

  /** The process was told to stop. */
  static final class Stopped extends IOException {
    private static final long serialVersionUID = 1;

    Stopped() {
      super("told to stop");
    }
  }

  private final PrintWriter err;
  private final boolean shown;
  private final LongAdder traffic = new LongAdder();

  /** Length of the line on the terminal; guarded by this. */
  private int drawn;

  /** Traffic when the task began; set by the thread that works, read by the timer. */
  private volatile long before;

  /** Whether the work is to end early; set by the hook that ends the process. */
  private volatile boolean cancelled;

  /**
   * A bar.
   *
   * @param err where it is drawn
   * @param shown whether it is
   */
  ProgressBar(PrintWriter err, boolean shown) {
    this.err = err;
    this.shown = shown;
  }

  /** Whether standard error is a terminal, as far as can be told. */
  static boolean onTerminal() {
    try {
      String device = Files.readSymbolicLink(STDERR).toString();
      return device.startsWith("/dev/pts/")
          || device.startsWith("/dev/tty")
          || device.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException noProc) {
      return CommandLine.Help.Ansi.AUTO.enabled();
    }
  }

  /** Counts the bytes that requests to the store move, whose rate is shown. */
  StoreListener traffic() {
    return (kind, outcome, bytes, nanos) -> traffic.add(bytes);
  }

  /** Makes the work that is shown fail, as soon as it looks. */
  void cancel() {
    cancelled = true;
  }

  /**
   * Looks between two pieces of work.
   *
   * @throws Stopped if no more is wanted
   */
  void checkWanted() throws Stopped {
    if (cancelled) {
      throw new Stopped();
    }
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }

  @Override
  public void beginTask(String title, int work) {
    before = traffic.sum();
    super.beginTask(title, work);
  }

  @Override
  protected void onUpdate(String taskName, int done, Duration time) {
    draw(taskName + ": " + done + rate(done, time));
  }

  @Override
  protected void onEndTask(String taskName, int done, Duration time) {
    onUpdate(taskName, done, time);
    close();
  }

  @Override
  protected void onUpdate(String taskName, int done, int total, int percent, Duration time) {
    int filled = Math.min(WIDTH, percent * WIDTH / 100);
    String bar = "#".repeat(filled) + ".".repeat(WIDTH - filled);
    draw(
        String.format(Locale.ROOT, "%s: [%s] %3d%% (%d/%d)", taskName, bar, percent, done, total)
            + rate(done, time)
            + left(done, total, time));
  }

  @Override
  protected void onEndTask(String taskName, int done, int total, int percent, Duration time) {
    onUpdate(taskName, done, total, percent, time);
    close();
  }

  private String rate(int done, Duration time) {
    double seconds = time.toMillis() / MILLIS;
    if (seconds < 1) {
      return "";
    }
    long moved = traffic.sum() - before;
    String rate = String.format(Locale.ROOT, ", %.0f/s", done / seconds);
    return moved == 0
        ? rate
        : rate
            + ", "
            + Quantity.ofBytes(moved)
            + ", "
            + Quantity.ofBytes((long) (moved / seconds))
            + "/s";
  }

  private static String left(int done, int total, Duration time) {
    boolean known = done > 0 && done < total && time.toSeconds() > 0;
    if (!known) {
      return "";
    }
    long millis = time.toMillis() * (total - done) / done;
    return ", " + Quantity.of(Duration.ofMillis(millis)) + " left";
  }

  private synchronized void draw(String text) {
    if (shown) {
      String rest = " ".repeat(Math.max(0, drawn - text.length()));
      err.print('\r' + text + rest);
      err.flush();
      drawn = text.length();
    }
  }

  /** Leaves what was drawn, and goes to the next line. */
  @Override
  public synchronized void close() {
    if (drawn > 0) {
      err.println();
      err.flush();
      drawn = 0;
    }
  }
}

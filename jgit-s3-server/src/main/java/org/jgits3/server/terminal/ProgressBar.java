// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

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
 * Shows the progress of a long command on a terminal: a bar, the work done, its rate, and the time
 * left at that rate. Only counts if it is not shown.
 *
 * <p>Updated by one thread and by JGit's timer, redrawn at most once a second and at each percent.
 */
public final class ProgressBar extends BatchingProgressMonitor implements Closeable {
  private static final Path STDERR = Path.of("/proc/self/fd/2");
  private static final int WIDTH = 20;
  private static final double MILLIS = 1000;

  /** Thrown when the process was told to stop. */
  public static final class Stopped extends IOException {
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

  /** Traffic at the start of the task; written by the working thread, read by the timer. */
  private volatile long before;

  /** True once the work is to stop early; set by the shutdown hook. */
  private volatile boolean cancelled;

  /**
   * Creates the bar of a command, drawn if there is a terminal and no JSON was requested.
   *
   * @param err standard error
   * @param output output of the command
   * @return the bar
   */
  public static ProgressBar of(PrintWriter err, Output output) {
    return new ProgressBar(err, onTerminal() && !output.json());
  }

  /**
   * Creates a bar.
   *
   * @param err writer to draw to
   * @param shown true to draw it
   */
  ProgressBar(PrintWriter err, boolean shown) {
    this.err = err;
    this.shown = shown;
  }

  /** Tests whether standard error is a terminal, as far as the JVM can tell. */
  private static boolean onTerminal() {
    try {
      String device = Files.readSymbolicLink(STDERR).toString();
      return device.startsWith("/dev/pts/")
          || device.startsWith("/dev/tty")
          || device.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException noProc) {
      return CommandLine.Help.Ansi.AUTO.enabled();
    }
  }

  /** Creates a listener that counts the bytes of requests to the store, whose rate is shown. */
  public StoreListener traffic() {
    return (kind, outcome, bytes, nanos) -> traffic.add(bytes);
  }

  /** Makes the work fail at its next report of progress. */
  public void cancel() {
    cancelled = true;
  }

  /**
   * Checks between two pieces of work whether to go on.
   *
   * @throws Stopped if the work was cancelled
   */
  public void checkWanted() throws Stopped {
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

  /**
   * Shows a text in place of the last one.
   *
   * @param text one line, such as the name of a step
   */
  public synchronized void draw(String text) {
    if (shown) {
      String rest = " ".repeat(Math.max(0, drawn - text.length()));
      err.print('\r' + text + rest);
      err.flush();
      drawn = text.length();
    }
  }

  /** Ends the line, and leaves the bar as it is drawn. */
  @Override
  public synchronized void close() {
    if (drawn > 0) {
      err.println();
      err.flush();
      drawn = 0;
    }
  }
}

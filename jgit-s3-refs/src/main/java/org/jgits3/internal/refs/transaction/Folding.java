// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.refs.log.LogCompaction;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when the overlay and the tail of the log of one repository leave its manifest: in the
 * background once they have grown, and at once for a commit that finds no room.
 *
 * <p>Of all processes that commit to a repository, the one whose commit takes overlay or tail over
 * a multiple of the threshold folds in the background. If it dies, or its store stalls, the process
 * that takes them over the next multiple folds. So neither a lease nor a clock is needed.
 *
 * <p>A commit that finds no room moves the tail, which is one small object, and folds the overlay
 * only if that is not enough. If several threads find no room at the same time, the first one makes
 * it.
 *
 * <p>Safe for use by many threads.
 */
public final class Folding {
  private static final Logger LOG = LoggerFactory.getLogger(Folding.class);

  /**
   * Attempts of a commit while others keep taking the room that was made. Where packs leave little
   * room, only one of the waiting commits gets it each time.
   */
  private static final int ATTEMPTS = 64;

  /** Objects written in a row in the background. */
  private static final int STEPS = 4;

  /** Entries of the tail that make a fold due; about 50 kB of manifest. */
  private static final int TAIL = 250;

  /**
   * Bytes of the overlay, and of the tail, that make a fold due, if they are less than half and a
   * quarter of the room.
   */
  private static final long BYTES = 64 << 10;

  private final ManifestCommitter committer;
  private final LogCompaction logCompaction;

  /** Folds the overlay into a table, if there is one. If that fails, nothing is lost. */
  private final IoRunnable overlay;

  private final Executor background;
  private final Counters counters;
  private final AtomicBoolean running = new AtomicBoolean();

  /**
   * True if this process is to fold once folding is due. True at first, because the process that
   * took refs or log over the threshold may have died. Any thread may set it; a lost write delays
   * folding until the next multiple.
   */
  private volatile boolean owed = true;

  /** Newest generation seen that was made by a fold, of whatever process. */
  private volatile long roomMadeAt; // written by one thread at a time, see observe

  /** Held while room is made; threads that wait for it then find that there is room. */
  private final ReentrantLock makingRoom = new ReentrantLock();

  Folding(
      ManifestCommitter committer,
      LogCompaction logCompaction,
      IoRunnable overlay,
      Executor background,
      Counters counters) {
    this.committer = committer;
    this.logCompaction = logCompaction;
    this.overlay = overlay;
    this.background = background;
    this.counters = counters;
  }

  /** Learns of a newer manifest. Called by one thread at a time, in order of generation. */
  void observe(Manifest before, Manifest after) {
    if (!before.refs().sameTables(after.refs())
        || !before.log().segments().equals(after.log().segments())) {
      roomMadeAt = after.generation();
    }
  }

  /** Tests whether a change of a manifest obliges its committer to fold. */
  static boolean obliges(Manifest before, Manifest after) {
    return overlayLevel(after) > overlayLevel(before) || tailLevel(after) > tailLevel(before);
  }

  /** Size of the overlay as a multiple of the threshold of a fold; 0 if none is due. */
  private static long overlayLevel(Manifest manifest) {
    Refs refs = manifest.refs();
    long most = Math.min(BYTES, manifest.roomForRefs() / 2);
    return Math.max(
        refs.overlay().size() / (RefFold.CHANGES + 1), refs.overlayBytes() / (most + 1));
  }

  /** Size of the tail as a multiple of the threshold of a fold; 0 if none is due. */
  private static long tailLevel(Manifest manifest) {
    List<LogEntry> tail = manifest.log().newest();
    long most = Math.min(BYTES, manifest.roomForRefs() / 4);
    return Math.max(tail.size() / (TAIL + 1), TransactionLog.approximateBytes(tail) / (most + 1));
  }

  /**
   * Schedules a fold if one is due and this process is obliged to it. Quick, and never throws.
   *
   * @param obliged whether a commit of this process {@link #obliges} it
   */
  void consider(boolean obliged) {
    if (!obliged && !owed) {
      return;
    }
    owed = committer.cached().map(v -> due(v.manifest())).orElse(false);
    if (owed
        && running.compareAndSet(false, true)
        && !DaemonThreads.offer(background, this::inBackground)) {
      running.set(false);
      LOG.debug("refs are not compacted while there is no thread for it");
    }
  }

  /** Runs an action, during which no fold begins in the background. */
  <R> R holding(IoSupplier<R> action) throws IOException {
    boolean held = running.compareAndSet(false, true);
    try {
      return action.get();
    } finally {
      if (held) {
        running.set(false);
      }
    }
  }

  private boolean due(Manifest manifest) {
    return overlayLevel(manifest) > 0 || isLogDue(manifest);
  }

  private boolean isLogDue(Manifest manifest) {
    return tailLevel(manifest) > 0 || logCompaction.due(manifest);
  }

  private void inBackground() {
    try {
      foldWhatIsDue();
      owed = due(newest()); // whatever was committed meanwhile
    } catch (ManifestException.Gone e) {
      LOG.debug("refs are not compacted, since their repository is gone", e);
    } catch (IOException e) {
      LOG.warn("refs were not compacted, the next update tries again: {}", e.getMessage());
    } catch (RuntimeException | Error e) { // the next try may find memory
      LOG.error("refs were not compacted, the next update tries again", e);
    } finally {
      running.set(false);
    }
  }

  private void foldWhatIsDue() throws IOException {
    Manifest manifest = committer.validate().manifest();
    for (int i = 0; i < STEPS && isLogDue(manifest); i++) {
      logCompaction.run(manifest);
      counters.add(Count.FOLDS);
      manifest = newest();
    }
    if (overlayLevel(manifest) > 0) {
      overlay.run();
      counters.add(Count.FOLDS);
    }
  }

  private Manifest newest() {
    return committer.cached().map(VersionedManifest::manifest).orElseThrow();
  }

  /**
   * Makes room in the manifest for a commit that found none.
   *
   * @param full says how much was missing
   * @param attempt how often the commit was tried before
   * @return whether it may fit now; false if what takes the room cannot be folded
   * @throws IOException if room could not be made, or the outcome is unknown; nothing is lost, and
   *     nothing of the commit was written
   */
  boolean makeRoom(ManifestException.TooLarge full, int attempt) throws IOException {
    if (attempt == ATTEMPTS) {
      return false;
    }
    makingRoom.lock();
    try {
      Manifest manifest = committer.validate().manifest();
      if (full.generation() <= roomMadeAt) {
        return true;
      }
      // Others may have made room since, by a fold or by merged packs, and left nothing to fold.
      boolean changed = manifest.generation() >= full.generation();
      return fold(manifest, full.excess()) || changed;
    } catch (UnknownOutcomeException e) {
      throw new IOException("no room in the manifest, nothing was done: " + e.getMessage(), e);
    } finally {
      makingRoom.unlock();
    }
  }

  /** Moves at least the wanted bytes out of the manifest, or none if fewer can be moved. */
  private boolean fold(Manifest manifest, long wanted) throws IOException {
    long ofTail = logCompaction.movableBytes(manifest);
    long ofOverlay = manifest.refs().overlayBytes();
    if (ofTail + ofOverlay < wanted) {
      return false;
    }
    counters.add(Count.FOREGROUND_FOLDS);
    owed = true; // segments that were not merged, and whatever else is due
    logCompaction.moveTail(manifest);
    if (ofTail < wanted) {
      overlay.run();
    }
    return true;
  }

  /**
   * Folds refs and log, even if no fold is due; meanwhile no fold begins in the background.
   *
   * @param refs folds the refs
   * @throws IOException if it could not be done; nothing is lost
   */
  void all(IoRunnable refs) throws IOException {
    holding(
        () -> {
          refs.run();
          logCompaction.run(committer.validate().manifest());
          return true;
        });
  }

  /** Copies the log of a template into that of its fork. */
  void copyLog() throws IOException {
    logCompaction.copy();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Conditional GETs of a manifest, one at a time, each shared by all who arrived before it was sent.
 * Nobody joins one that is under way: its answer may be older than the caller.
 *
 * <p>Safe for use by many threads.
 */
final class SharedValidation {
  private final ManifestFile file;
  private final LatestManifest latest;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Round upcoming = new Round(); // guarded by lock
  private boolean asking; // guarded by lock

  /** One GET and its answer; guarded by the lock. */
  private static final class Round {
    private boolean over;
    private VersionedManifest answer;
    private IOException failure;

    VersionedManifest get() throws IOException {
      if (failure != null) {
        throw failure;
      }
      return answer;
    }
  }

  SharedValidation(ManifestFile file, LatestManifest latest) {
    this.file = file;
    this.latest = latest;
  }

  /** The manifest as of some moment after this call began. */
  VersionedManifest validate() throws IOException {
    Round mine;
    lock.lock();
    try {
      mine = upcoming;
      while (!mine.over && asking) {
        changed.awaitUninterruptibly();
      }
      if (mine.over) {
        return mine.get();
      }
      asking = true;
      upcoming = new Round();
    } finally {
      lock.unlock();
    }
    return ask(mine);
  }

  private VersionedManifest ask(Round round) throws IOException {
    try {
      VersionedManifest answer = read();
      finish(round, answer, null);
      return answer;
    } catch (IOException e) {
      finish(round, null, e);
      throw e;
    } catch (RuntimeException | Error e) {
      finish(round, null, new IOException(file + ": cannot be read", e));
      throw e;
    }
  }

  private VersionedManifest read() throws IOException {
    long asOf = latest.arrivals();
    Optional<LatestManifest.Seen> known = latest.get();
    return latest.accept(
        known.isPresent() ? file.refresh(known.get().manifest()) : file.read(), asOf);
  }

  private void finish(Round round, VersionedManifest answer, IOException failure) {
    lock.lock();
    try {
      round.over = true;
      round.answer = answer;
      round.failure = failure;
      asking = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/** Writes of a manifest that are each repeated until decided, all before one deadline. */
public final class DecidedWrites {
  private static final int NONCE_BYTES = 8;

  private final ManifestFile file;
  private final Ticker ticker;
  private final Pacing pacing;
  private final long deadline;

  /** Set once a write was made; all writes of a caller share it. */
  private final AtomicBoolean begun;

  public DecidedWrites(ManifestFile file, Ticker ticker, Pacing pacing, long deadline) {
    this(file, ticker, pacing, deadline, new AtomicBoolean());
  }

  private DecidedWrites(
      ManifestFile file, Ticker ticker, Pacing pacing, long deadline, AtomicBoolean begun) {
    this.file = file;
    this.ticker = ticker;
    this.pacing = pacing;
    this.deadline = deadline;
    this.begun = begun;
  }

  /**
   * Decision of a write.
   *
   * @param made true if it was made; another write may have replaced its result since
   * @param newest the newest manifest known; empty if there is none
   */
  public record Result(boolean made, Optional<VersionedManifest> newest) {}

  /** Creates writes of another manifest, with the same deadline. */
  public DecidedWrites on(ManifestFile other) {
    return new DecidedWrites(other, ticker, pacing, deadline, begun);
  }

  /**
   * Writes a manifest. If the precondition of an attempt does not hold, reads the manifest to find
   * out whether an earlier attempt was applied.
   *
   * @param before manifest to replace, as just read; empty to create it
   * @param next manifest to write; it gets the writers of the one that it replaces
   * @throws ManifestException.NotCommitted if the deadline passed before the first attempt of the
   *     first write
   * @throws UnknownOutcomeException if the deadline passed later, or if others have written so
   *     often since that nothing tells whether this write was made. A refusal does not tell,
   *     because a copy of the request may have been applied. If the write was to create the name,
   *     however, and each attempt was answered, a refusal shows that the name was in use before.
   * @throws IOException if the store refuses
   */
  public Result write(Optional<VersionedManifest> before, Manifest next) throws IOException {
    String nonce = ObjectNames.random(NONCE_BYTES);
    Manifest sealed = WriterTable.seal(before.map(VersionedManifest::manifest), next, nonce);
    ConditionalWrite write = conditional(before, sealed);
    while (true) {
      Optional<ObjectVersion> won = attempt(write);
      if (won.isPresent()) {
        return new Result(true, Optional.of(new VersionedManifest(sealed, won.get())));
      }
      Optional<VersionedManifest> newest = newest();
      if (version(newest).equals(version(before))) {
        pause(pacing.beforeRepeat(Duration.ZERO)); // no process wrote: it may still be made
        continue;
      }
      boolean made = newest.filter(found -> writers(found).containsKey(nonce)).isPresent();
      boolean mayBeMade = before.isPresent() || write.inDoubt();
      if (!made && mayBeMade && !tells(newest, before, sealed.generation())) {
        throw unknown("others have written too often since", null);
      }
      begun.compareAndSet(false, made);
      return new Result(made, newest);
    }
  }

  /**
   * Makes a write that other processes make as well.
   *
   * @param before manifest to replace
   * @param next manifest to write
   * @return false if another process was faster, or the answer to an earlier attempt was lost
   * @throws IOException as {@link #write}
   */
  public boolean writeOnce(VersionedManifest before, Manifest next) throws IOException {
    String nonce = ObjectNames.random(NONCE_BYTES);
    Manifest sealed = WriterTable.seal(Optional.of(before.manifest()), next, nonce);
    return attempt(conditional(Optional.of(before), sealed)).isPresent();
  }

  private ConditionalWrite conditional(Optional<VersionedManifest> before, Manifest sealed)
      throws IOException {
    Precondition precondition =
        before.map(known -> Precondition.matches(known.version())).orElseGet(Precondition::absent);
    return file.write(file.encode(sealed, Manifest.MAX_BYTES), precondition);
  }

  /** Sends a write until it is answered; empty if it was refused. */
  private Optional<ObjectVersion> attempt(ConditionalWrite write) throws IOException {
    while (true) {
      if (ticker.nanoTime() - deadline >= 0) {
        throw late(write);
      }
      PutOutcome outcome = write.attempt();
      if (outcome instanceof PutOutcome.Won won) {
        begun.set(true);
        return Optional.of(won.version());
      } else if (outcome instanceof PutOutcome.Unknown unknown) {
        pause(pacing.beforeRepeat(unknown.pause()));
      } else {
        return Optional.empty();
      }
    }
  }

  private Optional<VersionedManifest> newest() throws IOException {
    try {
      return file.read();
    } catch (StoreException e) {
      throw unknown("its manifest cannot be read after a write was refused", e);
    }
  }

  private static boolean tells(
      Optional<VersionedManifest> newest, Optional<VersionedManifest> before, long made) {
    Optional<Manifest> replaced = before.map(VersionedManifest::manifest);
    return newest.filter(f -> WriterTable.tells(f.manifest(), replaced, made)).isPresent();
  }

  private static SortedMap<String, Long> writers(VersionedManifest found) {
    return found.manifest().counters().writers();
  }

  private static Optional<ObjectVersion> version(Optional<VersionedManifest> found) {
    return found.map(VersionedManifest::version);
  }

  private IOException late(ConditionalWrite write) {
    return write.attempts() == 0 && !begun.get()
        ? new ManifestException.NotCommitted(
            file + ": the deadline passed before this step was attempted; retry")
        : unknown("not decided before the deadline", null);
  }

  private UnknownOutcomeException unknown(String why, @Nullable Throwable cause) {
    return new UnknownOutcomeException(
        file + ": " + why + "; outcome unknown, look at the repository before retrying", cause);
  }

  private void pause(long nanos) throws UnknownOutcomeException {
    try {
      ticker.sleep(Math.max(0, Math.min(nanos, deadline - ticker.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown("interrupted", e);
    }
  }
}

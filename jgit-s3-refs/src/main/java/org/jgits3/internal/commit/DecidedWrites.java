// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/** Writes of a manifest that are each repeated until decided, all before one deadline. */
public final class DecidedWrites {
  private final ManifestFile file;
  private final Ticker ticker;
  private final Pacing pacing;
  private final long deadline;

  public DecidedWrites(ManifestFile file, Ticker ticker, Pacing pacing, long deadline) {
    this.file = file;
    this.ticker = ticker;
    this.pacing = pacing;
    this.deadline = deadline;
  }

  /**
   * Decision of a write.
   *
   * @param version version that it made; null if it was refused
   * @param inDoubt whether an attempt before the last may have been applied
   */
  public record Result(ObjectVersion version, boolean inDoubt) {
    public boolean won() {
      return version != null;
    }
  }

  /** The same for another manifest. */
  public DecidedWrites on(ManifestFile other) {
    return new DecidedWrites(other, ticker, pacing, deadline);
  }

  /**
   * Writes.
   *
   * @param before manifest to replace; empty to create it
   * @param next manifest to write
   * @throws ManifestException.NotCommitted if the deadline passed before the first attempt
   * @throws UnknownOutcomeException if the deadline passed later
   * @throws IOException if the store refuses
   */
  public Result write(Optional<VersionedManifest> before, Manifest next) throws IOException {
    Precondition precondition =
        before.map(known -> Precondition.matches(known.version())).orElseGet(Precondition::absent);
    byte[] body = file.encode(next, Manifest.MAX_BYTES);
    ConditionalWrite write = file.write(body, precondition);
    while (true) {
      if (ticker.nanoTime() - deadline >= 0) {
        throw late(write);
      }
      PutOutcome outcome = write.attempt();
      if (outcome instanceof PutOutcome.Won won) {
        return new Result(won.version(), write.inDoubt());
      } else if (outcome instanceof PutOutcome.Unknown unknown) {
        pause(pacing.beforeRepeat(unknown.pause()));
      } else {
        return new Result(null, write.inDoubt());
      }
    }
  }

  private IOException late(ConditionalWrite write) {
    return write.attempts() == 0
        ? new ManifestException.NotCommitted(
            file + ": the deadline passed before this step was attempted; retry")
        : unknown("not decided before the deadline");
  }

  /** The exception for a write whose outcome is not known. */
  public UnknownOutcomeException unknown(String why) {
    return new UnknownOutcomeException(
        file + ": " + why + "; outcome unknown, look at the repository before retrying", null);
  }

  private void pause(long nanos) throws UnknownOutcomeException {
    try {
      ticker.sleep(Math.max(0, Math.min(nanos, deadline - ticker.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown("interrupted");
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.IOException;

/** A commit or a read that the manifest does not allow. The subclasses say what the caller does. */
public class ManifestException extends IOException {
  /**
   * A failure.
   *
   * @param message one line that names the manifest and the next step
   * @param cause exception that revealed it, or null
   */
  public ManifestException(String message, Throwable cause) {
    super(message, cause);
  }

  /** There is no such repository: it was never made, was deleted, or has another name now. */
  public static final class Gone extends ManifestException {
    /**
     * No such repository.
     *
     * @param message one line
     */
    public Gone(String message) {
      super(message, null);
    }
  }

  /** The name stands for a repository already. Choose another, or delete that one first. */
  public static final class Exists extends ManifestException {
    /**
     * A name that is taken.
     *
     * @param message one line
     */
    public Exists(String message) {
      super(message, null);
    }
  }

  /**
   * The encoded manifest would exceed {@link Manifest#MAX_BYTES}, or that less {@link
   * Manifest#ROOM_FOR_REFS} if the change adds packs; nothing was written. If refs and log fill it,
   * the committer folds them and retries. If packs fill it, as the message then says, they must be
   * merged by {@code Maintenance.collectGarbage} or the {@code gc} command before a change that
   * adds a pack can succeed.
   */
  public static final class TooLarge extends ManifestException {
    private final long generation;
    private final long excess;

    /**
     * A manifest that grew too much.
     *
     * @param message one line
     * @param generation generation it would have had
     * @param excess bytes beyond those that are allowed
     */
    public TooLarge(String message, long generation, long excess) {
      super(message, null);
      this.generation = generation;
      this.excess = excess;
    }

    /**
     * Generation that the manifest would have had.
     *
     * @return one more than that of the manifest that was found full
     */
    public long generation() {
      return generation;
    }

    /**
     * Bytes that have to leave the manifest before the change fits.
     *
     * @return at least 1
     */
    public long excess() {
      return excess;
    }
  }

  /**
   * The deadline passed and nothing was written, nor will be: the change was never attempted, or
   * others were faster at each attempt. Repeat it.
   */
  public static final class NotCommitted extends ManifestException {
    /**
     * A change that had no turn.
     *
     * @param message one line
     */
    public NotCommitted(String message) {
      super(message, null);
    }
  }

  /**
   * A commit lists an object whose name was minted at or before the sweep boundary: the writer
   * stalled, and the object may be deleted already. The push must be repeated.
   */
  public static final class Stalled extends ManifestException {
    /**
     * A stalled writer.
     *
     * @param message one line
     */
    public Stalled(String message) {
      super(message, null);
    }
  }

  /** The manifest needs a newer version of this software: a format or feature it does not know. */
  public static final class Unsupported extends ManifestException {
    /**
     * An unknown format or feature.
     *
     * @param message one line that says which
     */
    public Unsupported(String message) {
      super(message, null);
    }
  }

  /** The bytes are no manifest: truncated, garbage, or against the rules. Never overwritten. */
  public static final class Corrupt extends ManifestException {
    /**
     * Unreadable bytes.
     *
     * @param message one line that names the key and what is wrong
     * @param cause exception that revealed it, or null
     */
    public Corrupt(String message, Throwable cause) {
      super(message, cause);
    }
  }
}

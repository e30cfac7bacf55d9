// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.internal.fleet.IdTable;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;

/**
 * One listing of all manifests, compared with a cursor: returns, in order, the repositories that
 * may have changed. Used by one thread.
 */
final class Scan {
  private final IdTable changed;
  private int next;

  private Scan(IdTable changed) {
    this.changed = changed;
  }

  /**
   * Lists all manifests.
   *
   * @param store the store
   * @param cursor cursor to compare with
   * @param trusted true if an equal version in the listing proves that a manifest did not change
   * @return the scan
   * @throws IOException if the store does not answer or refuses
   */
  static Scan of(ObjectStore store, StoreCursor cursor, boolean trusted) throws IOException {
    IdTable known = cursor.table();
    BitSet listed = new BitSet(known.size());
    IdTable.Builder changed = new IdTable.Builder(0, StoreCursor.DIGEST_BYTES);
    MessageDigest sha256 = Sha256.begin();
    byte[] none = new byte[StoreCursor.DIGEST_BYTES]; // no digest of a version
    Manifests.list(
        store,
        (id, object) -> {
          int at = known.find(id);
          if (at >= 0) {
            listed.set(at);
          }
          boolean gone = Manifests.isTombstone(object);
          Optional<byte[]> digest =
              object.version().filter(v -> trusted && !gone).map(v -> digest(sha256, v));
          boolean same = at < 0 ? gone : digest.isPresent() && cursor.hasDigest(at, digest.get());
          if (!same) {
            changed.add(id, digest.orElse(none));
          }
        });
    for (int i = listed.nextClearBit(0); i < known.size(); i = listed.nextClearBit(i + 1)) {
      changed.add(known.id(i), none); // vanished
    }
    return new Scan(changed.build());
  }

  /** Bytes that stand for a version. */
  static byte[] digest(MessageDigest sha256, ObjectVersion version) {
    byte[] all = sha256.digest(version.value().getBytes(StandardCharsets.UTF_8));
    return Arrays.copyOf(all, StoreCursor.DIGEST_BYTES);
  }

  /**
   * A repository that may have changed.
   *
   * @param repositoryId its id
   * @param digest stands for the version that the listing has; zeros for none
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by hand
  record Listed(String repositoryId, byte[] digest) {
    /** Tests whether a version is the listed one. */
    boolean hasVersion(ObjectVersion version) {
      return Arrays.equals(digest, Scan.digest(Sha256.begin(), version));
    }
  }

  /**
   * The next repository that may have changed.
   *
   * @return the repository; empty after the last
   */
  Optional<Listed> next() {
    if (isOver()) {
      return Optional.empty();
    }
    int at = changed.value(next);
    byte[] digest = Arrays.copyOfRange(changed.array(), at, at + StoreCursor.DIGEST_BYTES);
    return Optional.of(new Listed(changed.id(next++), digest));
  }

  /** Tests whether all were returned. */
  boolean isOver() {
    return next == changed.size();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import org.jgits3.internal.fleet.NameTable;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;

/**
 * One listing of all manifests, compared with a cursor: returns, in order, the names whose
 * repository or manifest may have changed. Used by one thread.
 */
final class Scan {
  private final NameTable changed;
  private int next;

  private Scan(NameTable changed) {
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
    NameTable known = cursor.table();
    BitSet listed = new BitSet(known.size());
    NameTable.Builder changed = new NameTable.Builder(0, StoreCursor.DIGEST_BYTES);
    MessageDigest sha256 = DirectoryObjectStore.sha256();
    byte[] none = new byte[StoreCursor.DIGEST_BYTES]; // no digest of a version
    store.list(
        RepositoryName.PREFIX,
        object -> {
          if (!object.key().endsWith(NameTable.END)) {
            return;
          }
          byte[] name = NameTable.stored(object.key());
          int at = known.find(name);
          if (at >= 0) {
            listed.set(at);
          }
          boolean empty = object.size() < ManifestCodec.MIN_REPOSITORY_BYTES;
          Optional<byte[]> digest =
              object.version().filter(v -> trusted && !empty).map(v -> digest(sha256, v));
          boolean same = at < 0 ? empty : digest.isPresent() && cursor.hasDigest(at, digest.get());
          if (!same) {
            changed.add(name, digest.orElse(none));
          }
        });
    for (int i = listed.nextClearBit(0); i < known.size(); i = listed.nextClearBit(i + 1)) {
      changed.add(known.name(i), none); // vanished
    }
    return new Scan(changed.build());
  }

  /** Bytes that stand for a version. */
  static byte[] digest(MessageDigest sha256, ObjectVersion version) {
    byte[] all = sha256.digest(version.value().getBytes(StandardCharsets.UTF_8));
    return Arrays.copyOf(all, StoreCursor.DIGEST_BYTES);
  }

  /**
   * A name that may have changed.
   *
   * @param name the name
   * @param digest stands for the version that the listing has; zeros for none
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by hand
  record Name(RepositoryName name, byte[] digest) {
    /** Tests whether a version is the listed one. */
    boolean hasVersion(ObjectVersion version) {
      return Arrays.equals(digest, Scan.digest(DirectoryObjectStore.sha256(), version));
    }
  }

  /**
   * The next name that may have changed.
   *
   * @return the name; empty after the last
   */
  Optional<Name> next() {
    while (!isOver()) {
      int at = changed.value(next);
      byte[] digest = Arrays.copyOfRange(changed.array(), at, at + StoreCursor.DIGEST_BYTES);
      Optional<RepositoryName> name = changed.repository(next++);
      if (name.isPresent()) {
        return Optional.of(new Name(name.get(), digest));
      }
    }
    return Optional.empty();
  }

  /** Tests whether all names were returned. */
  boolean isOver() {
    return next == changed.size();
  }
}

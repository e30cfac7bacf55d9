// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.fleet.NameTable;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ListedObject;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;

/**
 * One listing of all manifests, compared with a cursor: gives the names that may stand for
 * something else, or for another version of it, in their order. Used by one thread.
 */
final class Scan {
  /** A tombstone, a reservation; a repository without a version, with one. */
  private static final byte EMPTY = 0;

  private static final byte UNVERSIONED = 1;
  private static final byte VERSIONED = 2;

  private static final int VALUE_BYTES = 1 + StoreCursor.DIGEST_BYTES;

  private final StoreCursor cursor;
  private final NameTable known;
  @Nullable private NameTable listed; // null once it is compared
  private int nextKnown;
  private int nextListed;

  private Scan(StoreCursor cursor, NameTable listed) {
    this.cursor = cursor;
    this.known = cursor.table();
    this.listed = listed;
  }

  /**
   * Lists all manifests.
   *
   * @param store the store
   * @param cursor cursor to compare with
   * @param trusted whether a version of the listing tells that a manifest did not change
   * @return the scan
   * @throws IOException if the store does not answer or refuses
   */
  static Scan of(ObjectStore store, StoreCursor cursor, boolean trusted) throws IOException {
    NameTable.Builder listed = new NameTable.Builder(cursor.table(), VALUE_BYTES);
    MessageDigest sha256 = DirectoryObjectStore.sha256();
    byte[] value = new byte[VALUE_BYTES];
    store.list(
        RepositoryName.PREFIX,
        object -> {
          if (object.key().endsWith(NameTable.END)) {
            fill(value, object, trusted, sha256);
            listed.add(NameTable.stored(object.key()), value, 0);
          }
        });
    return new Scan(cursor, listed.build());
  }

  private static void fill(
      byte[] value, ListedObject object, boolean trusted, MessageDigest sha256) {
    Arrays.fill(value, (byte) 0);
    if (object.size() < ManifestCodec.MIN_REPOSITORY_BYTES) {
      value[0] = EMPTY;
    } else if (!trusted || object.version().isEmpty()) {
      value[0] = UNVERSIONED;
    } else {
      value[0] = VERSIONED;
      byte[] digest = digest(sha256, object.version().get());
      System.arraycopy(digest, 0, value, 1, digest.length);
    }
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
   * @param digest stands for the version that the listing has; empty for none
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by hand
  record Name(RepositoryName name, Optional<byte[]> digest) {
    /** Tests whether a version is the listed one. */
    boolean hasVersion(ObjectVersion version) {
      return digest.isPresent()
          && Arrays.equals(digest.get(), Scan.digest(DirectoryObjectStore.sha256(), version));
    }
  }

  /**
   * The next name that may have changed.
   *
   * @return the name; empty after the last
   */
  Optional<Name> next() {
    while (listed != null) {
      int order = order();
      Optional<Name> found = Optional.empty();
      if (order == 0) {
        boolean unchanged = isUnchanged(nextKnown++, nextListed);
        found = unchanged ? found : name(nextListed);
        nextListed++;
      } else if (order < 0) {
        found = named(known.name(nextKnown++), Optional.empty()); // vanished
      } else if (nextListed == listed.size()) {
        listed = null;
      } else {
        boolean empty = listed.array()[listed.value(nextListed)] == EMPTY;
        found = empty ? found : name(nextListed);
        nextListed++;
      }
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<Name> name(int i) {
    byte[] array = listed.array();
    int at = listed.value(i);
    return named(
        listed.name(i),
        array[at] == VERSIONED
            ? Optional.of(Arrays.copyOfRange(array, at + 1, at + VALUE_BYTES))
            : Optional.empty());
  }

  /** A name, if it is one: others may put objects beside the manifests. */
  private static Optional<Name> named(byte[] stored, Optional<byte[]> digest) {
    return RepositoryName.fromManifestKey(NameTable.manifestKey(stored))
        .map(name -> new Name(name, digest));
  }

  /** Order of the next record of the cursor and the next of the listing; no record is greatest. */
  private int order() {
    if (nextKnown == known.size()) {
      return 1;
    }
    return nextListed == listed.size() ? -1 : known.compare(nextKnown, listed, nextListed);
  }

  private boolean isUnchanged(int of, int as) {
    byte[] array = listed.array();
    int at = listed.value(as);
    return array[at] == VERSIONED && cursor.hasDigest(of, array, at + 1);
  }

  /** Tests whether all names were compared. */
  boolean isOver() {
    return listed == null;
  }
}

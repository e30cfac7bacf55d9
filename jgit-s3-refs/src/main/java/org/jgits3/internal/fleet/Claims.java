// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fleet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;

/**
 * Names of a listing, with a claim for some: that a kind of maintenance has nothing left to do on
 * one version of the manifest until some time. A claim stays true whatever happens later, so that
 * claims can be lost, or adopted from another pass, without harm. Used by one thread.
 */
public final class Claims {
  /**
   * Bytes of a claim: the digests of a version and of the id of the repository that the name holds
   * in it, 0 for none, and an end in milliseconds since the epoch.
   */
  public static final int VALUE_BYTES = 3 * Long.BYTES;

  /** Bytes reserved for new names; if there are many, the records are copied. */
  private static final int NEW_NAMES = 1 << 10;

  /** Stands for no version. */
  private static final long NONE = 0;

  private final NameTable table;
  private final boolean versioned;

  /** Names whose claim was made through this object. */
  private final BitSet made = new BitSet();

  private Claims(NameTable table, boolean versioned) {
    this.table = table;
    this.versioned = versioned;
  }

  /**
   * Number that stands for a version of a manifest, or for the id of a repository.
   *
   * @param text the version or id
   * @return the number, never 0
   */
  public static long digest(String text) {
    byte[] all = DirectoryObjectStore.sha256().digest(text.getBytes(StandardCharsets.UTF_8));
    return ByteBuffer.wrap(all).getLong() | 1;
  }

  /**
   * Lists the manifests of a store, with the claims that may still hold.
   *
   * @param store the store
   * @param known claims that were stored
   * @param trusted true if an equal version in the listing proves that a manifest did not change
   * @param tombstones true to include names without a repository
   * @return the names
   * @throws IOException if the store does not answer or refuses
   */
  public static Claims listed(
      ObjectStore store, NameTable known, boolean trusted, boolean tombstones) throws IOException {
    NameTable.Builder names = new NameTable.Builder(known.length() + NEW_NAMES, VALUE_BYTES);
    AtomicBoolean versioned = new AtomicBoolean(true);
    store.list(
        RepositoryName.PREFIX,
        object -> {
          if (object.key().endsWith(NameTable.END)
              && (tombstones || object.size() >= ManifestCodec.MIN_REPOSITORY_BYTES)) {
            Optional<ObjectVersion> version = object.version().filter(any -> trusted);
            if (version.isEmpty()) {
              versioned.set(false);
            }
            byte[] name = NameTable.stored(object.key());
            int at = known.find(name);
            if (at >= 0 && version.map(v -> isOf(known, at, digest(v.value()))).orElse(true)) {
              names.add(known, at);
            } else {
              names.add(name, new byte[VALUE_BYTES]);
            }
          }
        });
    return new Claims(names.build(), versioned.get());
  }

  private static boolean isOf(NameTable table, int at, long digest) {
    return value(table, at, 0) == digest;
  }

  private static long value(NameTable table, int at, int field) {
    return ByteBuffer.wrap(table.array()).getLong(table.value(at) + field * Long.BYTES);
  }

  /**
   * Tests whether the listing told the version of each name.
   *
   * @return false if claims have to be compared with the manifests
   */
  public boolean isVersioned() {
    return versioned;
  }

  /**
   * All names with their claims.
   *
   * @return the table, which changes with this object
   */
  public NameTable table() {
    return table;
  }

  /**
   * Names without a claim, or with one that has ended.
   *
   * @param ended tests the end of a claim, in milliseconds since the epoch
   * @return their indexes
   */
  public BitSet due(LongPredicate ended) {
    BitSet due = new BitSet(table.size());
    for (int i = 0; i < table.size(); i++) {
      due.set(i, isOf(table, i, NONE) || ended.test(until(i)));
    }
    return due;
  }

  /**
   * End of a claim.
   *
   * @param i index of the name
   * @return milliseconds since the epoch; 0 without a claim
   */
  public long until(int i) {
    return value(table, i, 1);
  }

  /**
   * Repository that a name holds in the listed version, as far as a claim tells.
   *
   * @param i index of the name
   * @return digest of the id of a repository, or 0 for none; empty if it has to be read
   */
  public OptionalLong holds(int i) {
    return versioned && !isOf(table, i, NONE)
        ? OptionalLong.of(value(table, i, 2))
        : OptionalLong.empty();
  }

  /**
   * Tests whether a claim is about a version.
   *
   * @param i index of the name
   * @param digest stands for the version
   * @return true if so
   */
  public boolean isOf(int i, long digest) {
    return isOf(table, i, digest);
  }

  /**
   * The name at an index.
   *
   * @param i index of a name
   * @return the name; empty if it is not valid, since others may put objects beside the manifests
   */
  public Optional<RepositoryName> name(int i) {
    return table.repository(i);
  }

  /**
   * Makes a claim.
   *
   * @param name name of a repository; does nothing if the listing did not have it
   * @param digest stands for the version
   * @param until end of the claim, in milliseconds since the epoch
   * @param held stands for the repository that the name holds; 0 for none
   */
  public void make(RepositoryName name, long digest, long until, long held) {
    int i = table.find(NameTable.stored(name.manifestKey()));
    if (i >= 0) {
      ByteBuffer.wrap(table.array(), table.value(i), VALUE_BYTES)
          .putLong(digest)
          .putLong(until)
          .putLong(held);
      made.set(i);
    }
  }

  /**
   * Adopts the claims of another pass, except for names whose claim was made here.
   *
   * @param other claims that were stored
   */
  public void adopt(NameTable other) {
    for (int i = 0; i < table.size(); i++) {
      int at = made.get(i) ? -1 : other.find(table.name(i));
      if (at >= 0) {
        System.arraycopy(
            other.array(), other.value(at), table.array(), table.value(i), VALUE_BYTES);
      }
    }
  }
}

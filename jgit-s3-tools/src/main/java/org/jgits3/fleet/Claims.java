// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.internal.fleet.IdTable;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;

/**
 * Repositories of a listing, with a claim for some: that a kind of maintenance has nothing left to
 * do on one version of the manifest until some time. A claim stays true whatever happens later, so
 * that claims can be lost, or adopted from another pass, without harm. Used by one thread.
 */
final class Claims {
  /** Bytes of a claim: the digest of a version, and an end in milliseconds since the epoch. */
  static final int VALUE_BYTES = 2 * Long.BYTES;

  /** Records reserved for new repositories; if there are many, the records are copied. */
  private static final int NEW = 1 << 5;

  /** Stands for no version. */
  private static final long NONE = 0;

  private final IdTable table;
  private final boolean versioned;

  /** Repositories whose claim was made through this object. */
  private final BitSet made = new BitSet();

  private Claims(IdTable table, boolean versioned) {
    this.table = table;
    this.versioned = versioned;
  }

  /**
   * Number that stands for a version of a manifest.
   *
   * @param text the version
   * @return the number, never 0
   */
  static long digest(String text) {
    byte[] all = Sha256.begin().digest(text.getBytes(StandardCharsets.UTF_8));
    return ByteBuffer.wrap(all).getLong() | 1;
  }

  /**
   * Lists the manifests of a store, with the claims that may still hold.
   *
   * @param store the store
   * @param known claims that were stored
   * @param trusted true if an equal version in the listing proves that a manifest did not change
   * @param tombstones true to include deleted repositories
   * @return the repositories
   * @throws IOException if the store does not answer or refuses
   */
  static Claims listed(ObjectStore store, IdTable known, boolean trusted, boolean tombstones)
      throws IOException {
    IdTable.Builder ids = new IdTable.Builder(known.size() + NEW, VALUE_BYTES);
    AtomicBoolean versioned = new AtomicBoolean(true);
    Manifests.list(
        store,
        (id, object) -> {
          if (tombstones || !Manifests.isTombstone(object)) {
            Optional<ObjectVersion> version = object.version().filter(any -> trusted);
            if (version.isEmpty()) {
              versioned.set(false);
            }
            int at = known.find(id);
            if (at >= 0 && version.map(v -> isOf(known, at, digest(v.value()))).orElse(true)) {
              ids.add(known, at);
            } else {
              ids.add(id, new byte[VALUE_BYTES]);
            }
          }
        });
    return new Claims(ids.build(), versioned.get());
  }

  private static boolean isOf(IdTable table, int at, long digest) {
    return value(table, at, 0) == digest;
  }

  private static long value(IdTable table, int at, int field) {
    return ByteBuffer.wrap(table.array()).getLong(table.value(at) + field * Long.BYTES);
  }

  /**
   * Tests whether the listing told the version of each manifest.
   *
   * @return false if claims have to be compared with the manifests
   */
  boolean isVersioned() {
    return versioned;
  }

  /**
   * All repositories with their claims.
   *
   * @return the table, which changes with this object
   */
  IdTable table() {
    return table;
  }

  /**
   * Repositories without a claim, or with one that has ended.
   *
   * @param ended tests the end of a claim, in milliseconds since the epoch
   * @return their indexes
   */
  BitSet due(LongPredicate ended) {
    BitSet due = new BitSet(table.size());
    for (int i = 0; i < table.size(); i++) {
      due.set(i, isOf(table, i, NONE) || ended.test(until(i)));
    }
    return due;
  }

  /**
   * End of a claim.
   *
   * @param i index of the repository
   * @return milliseconds since the epoch; 0 without a claim
   */
  long until(int i) {
    return value(table, i, 1);
  }

  /**
   * Tests whether a claim is about a version.
   *
   * @param i index of the repository
   * @param digest stands for the version
   * @return true if so
   */
  boolean isOf(int i, long digest) {
    return isOf(table, i, digest);
  }

  /**
   * Makes a claim.
   *
   * @param repositoryId id of a repository; does nothing if the listing did not have it
   * @param digest stands for the version
   * @param until end of the claim, in milliseconds since the epoch
   */
  void make(String repositoryId, long digest, long until) {
    int i = table.find(repositoryId);
    if (i >= 0) {
      ByteBuffer.wrap(table.array(), table.value(i), VALUE_BYTES).putLong(digest).putLong(until);
      made.set(i);
    }
  }

  /**
   * Adopts the claims of another pass, except for repositories whose claim was made here.
   *
   * @param other claims that were stored
   */
  void adopt(IdTable other) {
    for (int i = 0; i < table.size(); i++) {
      int at = made.get(i) ? -1 : other.find(table.id(i));
      if (at >= 0) {
        System.arraycopy(
            other.array(), other.value(at), table.array(), table.value(i), VALUE_BYTES);
      }
    }
  }
}

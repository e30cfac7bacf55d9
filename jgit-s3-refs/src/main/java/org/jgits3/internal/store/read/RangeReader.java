// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreException;

/**
 * Reads an object, or a part of one, into an array with several ranged requests in flight. The
 * bytes go straight to their place: beside the array, a read takes less than 16 MiB of heap,
 * whatever the size of the object.
 *
 * <p>All ranges are of one version: a read is never a mixture of two, even if the object is
 * replaced meanwhile. A range whose connection breaks resumes where it broke: received bytes are
 * not read again, and the rest is of the same version, or the read fails with {@link
 * StoreException.Changed}.
 *
 * <pre>{@code
 * try (ObjectStore store = Stores.open(StoreLocation.parse("s3://bucket/prefix"), StoreOptions.DEFAULT)) {
 *   byte[] head = new byte[100_000_000];
 *   new RangeReader(store).read("models/weights.bin", 0, head, 0, head.length);
 * }
 * }</pre>
 *
 * <p>Up to 8 MiB are one request. A larger read is divided into ranges of about 8 to 256 MiB,
 * {@link ParallelRequests#SIZE} in flight at a time, and as large as that number allows: each
 * request costs processor time on both ends, some milliseconds in a JVM that has just started, so
 * fewer requests are faster where the network is not the bound. The first requests are sent at once
 * and their versions compared when they have answered; later ones ask for that version ({@code
 * If-Match}).
 *
 * <p>The caller's thread reads too, and the others are shared by the process, so every read makes
 * progress however many there are.
 *
 * <p>Safe for use by many threads.
 */
public final class RangeReader {
  private final ObjectStore store;
  private final Sizes sizes;
  private final boolean oneVersion;

  /**
   * Sizes in bytes by which a read is divided into requests.
   *
   * @param oneRequest largest read that is one request, and about the least size of a range
   * @param range approximate size of a range of a much larger read
   */
  public record Sizes(int oneRequest, int range) {
    /** Default sizes. */
    public static final Sizes DEFAULT = new Sizes(8 << 20, 256 << 20);

    /** Checks the sizes. */
    public Sizes {
      if (oneRequest < 0 || range < 1) {
        throw new IllegalArgumentException(oneRequest + ", " + range);
      }
    }

    /**
     * Divides a read evenly, so that as many requests as possible are always in flight.
     *
     * @param rest bytes to be read
     * @return bytes of a range; the last one may be shorter
     */
    int rangeOf(int rest) {
      long round = (long) ParallelRequests.SIZE * range;
      long rounds = (rest + round / 2) / round;
      long ranges = rounds > 1 ? rounds * ParallelRequests.SIZE : worthwhile(rest);
      return (int) ((rest - 1) / ranges) + 1;
    }

    private int worthwhile(int rest) {
      return Math.min(ParallelRequests.SIZE, (rest - 1) / Math.max(1, oneRequest) + 1);
    }
  }

  /**
   * Reads objects of a store.
   *
   * @param store where they are; not closed by this
   */
  public RangeReader(ObjectStore store) {
    this(store, Sizes.DEFAULT, true);
  }

  /**
   * Reads objects of a store in ranges of given sizes.
   *
   * @param store where they are; not closed by this
   * @param sizes sizes by which reads are divided
   * @param oneVersion true if all ranges of a read must be of one version; false only where
   *     versions mean nothing and the caller has a checksum of the whole
   */
  public RangeReader(ObjectStore store, Sizes sizes, boolean oneVersion) {
    this.store = store;
    this.sizes = sizes;
    this.oneVersion = oneVersion;
  }

  /**
   * Reads a part of an object, or all of it if its size is known.
   *
   * @param key object to read
   * @param offset first byte to read, from 0
   * @param dst array that receives the bytes
   * @param dstOffset where in {@code dst} they begin
   * @param length bytes to read, at least 1; all of them must exist
   * @return version of the object; given to {@link #read(ReadRequest)}, it ensures that the next
   *     part is of the same version
   * @throws StoreException.Missing if there is no such object
   * @throws StoreException.Changed if it was replaced meanwhile; read it again
   * @throws StoreException.Corrupt if the object ends before
   * @throws StoreException if the store does not answer or refuses; the slice is then undefined
   */
  public ObjectVersion read(String key, long offset, byte[] dst, int dstOffset, int length)
      throws IOException {
    return read(new ReadRequest(key, offset, dst, dstOffset, length, Optional.empty()));
  }

  /**
   * Reads a part of an object of a known version.
   *
   * @param part the part, and the slice that receives it
   * @return version they have
   * @throws StoreException.Missing if there is no such object
   * @throws StoreException.Changed if it has another version than expected, or was replaced
   *     meanwhile
   * @throws StoreException.Corrupt if the object ends before
   * @throws IOException if the store does not answer or refuses; the slice is then undefined
   */
  public ObjectVersion read(ReadRequest part) throws IOException {
    // Version of the first answer, unless it was known before; null until then.
    AtomicReference<ObjectVersion> version =
        new AtomicReference<>(oneVersion ? part.expected().orElse(null) : null);
    ParallelRequests.forEach(divide(part), range -> read(range, version));
    return version.get();
  }

  private List<ReadRequest> divide(ReadRequest part) {
    int length = part.length();
    int most = length <= sizes.oneRequest() ? length : sizes.rangeOf(length);
    List<ReadRequest> ranges = new ArrayList<>();
    for (int at = 0; at < length; at += Math.min(most, length - at)) {
      ranges.add(part.part(at, Math.min(most, length - at), part.expected()));
    }
    return ranges;
  }

  private void read(ReadRequest range, AtomicReference<ObjectVersion> version) throws IOException {
    Optional<ObjectVersion> expected =
        oneVersion ? Optional.ofNullable(version.get()) : Optional.empty();
    ObjectVersion read = store.read(range.part(0, range.length(), expected));
    boolean first = version.compareAndSet(null, read);
    if (!first && oneVersion && !version.get().equals(read)) {
      throw new StoreException.Changed(
          range.key(),
          store.location() + "/" + range.key() + ": was replaced while it was read",
          null);
    }
  }
}

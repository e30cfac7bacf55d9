// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.check;

import java.io.Closeable;
import java.util.List;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.transport.PackedObjectInfo;

/**
 * Checks those parts of a pack that Git refuses and JGit's parser accepts: deltas, numbers, and
 * positions of bases. Errors give the number and the position of the object. Used by one thread,
 * for one pack.
 */
public final class PackCheck implements Closeable {
  /** Bytes before the first object of a pack. */
  static final int HEADER_BYTES = 12;

  /** Bytes before the content of an object, at most. */
  static final int MOST_HEADER_BYTES = 9 + Constants.OBJECT_ID_LENGTH;

  /** Most digits of a size or an offset that Git reads. */
  private static final int MOST_DIGITS = 9;

  private final DeltaCheck delta = new DeltaCheck();
  private boolean inDelta;
  private long objects;
  private long unresolved;
  private long position;

  /** Begins an object that is no delta. */
  public void beginWhole(long at) {
    objects++;
    position = at;
    inDelta = false;
  }

  /** Begins a delta. */
  public void beginDelta(long at) {
    beginWhole(at);
    inDelta = true;
    delta.begin();
  }

  /**
   * Begins a delta to the object at a position.
   *
   * @throws CorruptObjectException if no earlier object can be there
   */
  public void beginDelta(long at, long base) throws CorruptObjectException {
    beginDelta(at);
    if (base < HEADER_BYTES || base >= at) {
      throw corrupt("is a delta to byte " + base + ", where no earlier object is");
    }
  }

  /**
   * Takes the header of an object, with the offset or id of its base.
   *
   * @throws CorruptObjectException if a number has more digits than Git reads
   */
  public void header(byte[] raw, int pos, int len) throws CorruptObjectException {
    int digits = digits(raw, pos);
    if (digits > MOST_DIGITS
        || (type(raw, pos) == Constants.OBJ_OFS_DELTA && len - digits > MOST_DIGITS)) {
      throw corrupt("has a number with more digits than Git reads");
    }
  }

  private static int digits(byte[] raw, int pos) {
    int digits = 1;
    while ((raw[pos + digits - 1] & 0x80) != 0) {
      digits++;
    }
    return digits;
  }

  static int type(byte[] raw, int pos) {
    return (raw[pos] >> 4) & 7;
  }

  /** Reads the size of an object or delta after inflation from its header. */
  static long size(byte[] header) {
    long size = header[0] & 15;
    for (int at = 1, shift = 4; (header[at - 1] & 0x80) != 0; at++, shift += 7) {
      size |= (header[at] & 0x7fL) << shift;
    }
    return size;
  }

  /** Reads the distance between a delta and its base from its header. */
  static long distance(byte[] header) {
    int at = digits(header, 0);
    long distance = header[at] & 0x7f;
    while ((header[at++] & 0x80) != 0) {
      distance = ((distance + 1) << 7) | (header[at] & 0x7f);
    }
    return distance;
  }

  /** Tests whether a header is whole, with the offset or id of a base. */
  static boolean isWhole(byte[] header, int length) {
    if (!ends(header, 0, length)) {
      return false;
    }
    int digits = digits(header, 0);
    return switch (type(header, 0)) {
      case Constants.OBJ_OFS_DELTA -> ends(header, digits, length);
      case Constants.OBJ_REF_DELTA -> length == digits + Constants.OBJECT_ID_LENGTH;
      default -> true;
    };
  }

  private static boolean ends(byte[] raw, int from, int to) {
    for (int at = from; at < to; at++) {
      if ((raw[at] & 0x80) == 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Checks the size of an object or delta before its bytes arrive.
   *
   * @throws CorruptObjectException if it is larger than any object may be
   */
  void size(long bytes) throws CorruptObjectException {
    if (bytes < 0 || bytes > DeltaCheck.MOST_BYTES) {
      throw corrupt("has " + DeltaCheck.tooMany(bytes));
    }
  }

  /**
   * Takes the next compressed bytes of an object.
   *
   * @throws CorruptObjectException if they are of a delta that Git refuses
   */
  public void data(byte[] raw, int pos, int len) throws CorruptObjectException {
    if (inDelta) {
      try {
        delta.deflated(raw, pos, len);
      } catch (CorruptObjectException e) {
        throw corrupt(e);
      }
    }
  }

  /** As {@link #data}, after inflation. */
  void inflated(byte[] bytes, int length) throws CorruptObjectException {
    if (inDelta) {
      try {
        delta.next(bytes, length);
      } catch (CorruptObjectException e) {
        throw corrupt(e);
      }
    }
  }

  /**
   * Ends a delta.
   *
   * @return bytes of the object that it makes
   * @throws CorruptObjectException if Git refuses it
   */
  public long endDelta() throws CorruptObjectException {
    inDelta = false;
    unresolved++;
    try {
      return delta.end();
    } catch (CorruptObjectException e) {
      throw corrupt(e);
    }
  }

  /**
   * Ends a delta to an object of a known size.
   *
   * @return bytes of the object that it makes
   * @throws CorruptObjectException if Git refuses it
   */
  long endDelta(long baseSize) throws CorruptObjectException {
    long size = endDelta();
    if (delta.baseSize() != baseSize) {
      throw corrupt(
          "is a delta to an object of " + delta.baseSize() + " bytes, not of " + baseSize);
    }
    return size;
  }

  /** Notes that a delta was applied to its base. */
  public void resolved() {
    unresolved--;
  }

  /**
   * Ends the pack.
   *
   * @param sorted its objects, sorted by id
   * @throws CorruptObjectException if an object is there twice, or a delta has no base
   */
  public void end(List<PackedObjectInfo> sorted) throws CorruptObjectException {
    if (unresolved > 0) {
      throw new CorruptObjectException("the pack has " + unresolved + " deltas without a base");
    }
    for (int i = 1; i < sorted.size(); i++) {
      if (AnyObjectId.isEqual(sorted.get(i - 1), sorted.get(i))) {
        throw new CorruptObjectException(sorted.get(i), "the pack has it twice");
      }
    }
  }

  /** Names the object that begins next. */
  public String next() {
    return "object " + (objects + 1) + " of the pack";
  }

  /** Names the object that began last. */
  public String named() {
    return "object " + objects + " of the pack, at byte " + position + ",";
  }

  CorruptObjectException corrupt(String problem) {
    return new CorruptObjectException(named() + " " + problem);
  }

  private CorruptObjectException corrupt(CorruptObjectException ofDelta) {
    return new CorruptObjectException(named() + " is " + ofDelta.getMessage(), ofDelta);
  }

  @Override
  public void close() {
    delta.close();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.check;

import java.io.Closeable;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.transport.PackedObjectInfo;

/**
 * Checks those parts of a pack that Git refuses and JGit's parser accepts: deltas, numbers, and
 * positions of bases. Errors give the number and the position of the object. Used by one thread,
 * for one pack.
 *
 * <p>Checks the instructions of a delta while its bytes arrive, and keeps none of them. JGit fills
 * a result that the instructions leave short with zeros, and takes sizes modulo 2<sup>32</sup>; Git
 * refuses both, so an object that was made so could not be cloned.
 */
public final class PackCheck implements Closeable {
  /**
   * Maximum number of bytes of an object: the length of the longest array. JGit cannot parse a pack
   * with a larger one.
   */
  public static final long MOST_BYTES = Integer.MAX_VALUE - 8;

  /** Fewer bytes are no delta to Git. */
  private static final long LEAST_BYTES = 4;

  /** Bytes that an instruction copies which gives no length. */
  private static final int DEFAULT_COPY = 0x1_0000;

  /** Part of the delta that the next byte belongs to. */
  private enum Part {
    BASE_SIZE,
    RESULT_SIZE,
    INSTRUCTION,
    COPY,
    INSERTION
  }

  /** Bytes before the first object of a pack. */
  static final int HEADER_BYTES = 12;

  /** Bytes before the content of an object, at most. */
  static final int MOST_HEADER_BYTES = 9 + Constants.OBJECT_ID_LENGTH;

  /** Most digits of a size or an offset that Git reads. */
  private static final int MOST_DIGITS = 9;

  private long objects;
  private long unresolved;
  private long position;
  private boolean inDelta;

  private final Inflater inflater = new Inflater();
  private final byte[] inflated = new byte[8 << 10];

  private Part part;
  private long count;
  private long baseSize;
  private long resultSize;

  /** Bytes of the result so far. */
  private long made;

  /** Number that is being read: a size. */
  private long number;

  /** Bits of the number that were read. */
  private int shift;

  /** Bits of a copy instruction that say which bytes of offset and length follow. */
  private int present;

  /** Next of these bits. */
  private int argument;

  private long copyOffset;
  private int copyLength;

  /** Bytes that are left of an insertion. */
  private int inserted;

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
    inflater.reset();
    part = Part.BASE_SIZE;
    count = 0;
    made = 0;
    number = 0;
    shift = 0;
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
    if (bytes < 0 || bytes > MOST_BYTES) {
      throw corrupt("has " + tooMany(bytes));
    }
  }

  /**
   * Takes the next compressed bytes of an object.
   *
   * @throws CorruptObjectException if they are of a delta that Git refuses
   */
  public void data(byte[] raw, int pos, int len) throws CorruptObjectException {
    if (!inDelta) {
      return;
    }
    inflater.setInput(raw, pos, len);
    try {
      for (int n = inflater.inflate(inflated); n > 0; n = inflater.inflate(inflated)) {
        inflated(inflated, n);
      }
    } catch (DataFormatException e) {
      throw corrupt("is a delta that cannot be inflated", e);
    }
  }

  /** As {@link #data}, after inflation. */
  void inflated(byte[] bytes, int length) throws CorruptObjectException {
    if (!inDelta) {
      return;
    }
    for (int at = 0; at < length; ) {
      if (part == Part.INSERTION) {
        int n = Math.min(inserted, length - at);
        inserted -= n;
        at += n;
        if (inserted == 0) {
          part = Part.INSTRUCTION;
        }
      } else {
        next(bytes[at++] & 0xff);
      }
    }
    count += length;
  }

  private void next(int b) throws CorruptObjectException {
    switch (part) {
      case BASE_SIZE -> {
        if (isLastDigit(b)) {
          baseSize = number;
          part = Part.RESULT_SIZE;
          number = 0;
          shift = 0;
        }
      }
      case RESULT_SIZE -> {
        if (isLastDigit(b)) {
          resultSize = number;
          part = Part.INSTRUCTION;
          checkSizes();
        }
      }
      case INSTRUCTION -> begin(b);
      default -> argument(b);
    }
  }

  private boolean isLastDigit(int b) throws CorruptObjectException {
    if (shift + 7 >= Long.SIZE) {
      throw corrupt("is a delta with a size of more than 63 bits");
    }
    number |= (b & 0x7fL) << shift;
    shift += 7;
    return (b & 0x80) == 0;
  }

  private void checkSizes() throws CorruptObjectException {
    if (baseSize > MOST_BYTES) {
      throw corrupt("is a delta to an object of " + tooMany(baseSize));
    }
    if (resultSize > MOST_BYTES) {
      throw corrupt("is a delta that makes an object of " + tooMany(resultSize));
    }
  }

  /** Text for a number of bytes that is over the limit. */
  private static String tooMany(long bytes) {
    return bytes + " bytes; the most that an object may have here is " + MOST_BYTES;
  }

  private void begin(int instruction) throws CorruptObjectException {
    if ((instruction & 0x80) != 0) {
      present = instruction & 0x7f;
      argument = 0;
      copyOffset = 0;
      copyLength = 0;
      part = Part.COPY;
      skipAbsent();
    } else if (instruction == 0) {
      throw corrupt("is a delta with the reserved instruction 0");
    } else {
      inserted = instruction;
      part = Part.INSERTION;
      make(instruction);
    }
  }

  private void argument(int b) throws CorruptObjectException {
    if (argument < Integer.BYTES) {
      copyOffset |= (long) b << (Byte.SIZE * argument);
    } else {
      copyLength |= b << (Byte.SIZE * (argument - Integer.BYTES));
    }
    argument++;
    skipAbsent();
  }

  private void skipAbsent() throws CorruptObjectException {
    while (argument < 7 && (present & (1 << argument)) == 0) {
      argument++;
    }
    if (argument == 7) {
      copyLength = copyLength == 0 ? DEFAULT_COPY : copyLength;
      if (copyOffset + copyLength > baseSize) {
        throw corrupt("is a delta that copies more than its base has");
      }
      make(copyLength);
      part = Part.INSTRUCTION;
    }
  }

  private void make(int bytes) throws CorruptObjectException {
    made += bytes;
    if (made > resultSize) {
      throw corrupt(
          "is a delta that makes more than the " + resultSize + " bytes that it declares");
    }
  }

  /**
   * Ends a delta.
   *
   * @return bytes of the object that it makes
   * @throws CorruptObjectException if it ends within an instruction, or makes another number of
   *     bytes than it declares
   */
  public long endDelta() throws CorruptObjectException {
    inDelta = false;
    unresolved++;
    if (count < LEAST_BYTES || part != Part.INSTRUCTION) {
      throw corrupt("is a delta that ends early, after " + count + " bytes");
    }
    if (made != resultSize) {
      throw corrupt(
          "is a delta that makes " + made + " of the " + resultSize + " bytes that it declares");
    }
    return resultSize;
  }

  /**
   * Ends a delta to an object of a known size.
   *
   * @return bytes of the object that it makes
   * @throws CorruptObjectException if Git refuses it
   */
  long endDelta(long size) throws CorruptObjectException {
    long result = endDelta();
    if (baseSize != size) {
      throw corrupt("is a delta to an object of " + baseSize + " bytes, not of " + size);
    }
    return result;
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

  private CorruptObjectException corrupt(String problem, Throwable cause) {
    return new CorruptObjectException(named() + " " + problem, cause);
  }

  @Override
  public void close() {
    inflater.end();
  }
}

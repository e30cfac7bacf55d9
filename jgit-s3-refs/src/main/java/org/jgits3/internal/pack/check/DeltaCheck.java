// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.check;

import java.io.Closeable;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.eclipse.jgit.errors.CorruptObjectException;

/**
 * Checks the instructions of a delta while its bytes arrive, and keeps none of them. JGit fills a
 * result that the instructions leave short with zeros, and takes sizes modulo 2<sup>32</sup>; Git
 * refuses both, so an object that was made so could not be cloned. Used by one thread, for one
 * delta after the other.
 */
public final class DeltaCheck implements Closeable {
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

  /** Begins a delta. */
  public void begin() {
    inflater.reset();
    part = Part.BASE_SIZE;
    count = 0;
    made = 0;
    number = 0;
    shift = 0;
  }

  /**
   * Takes the next compressed bytes of the delta.
   *
   * @throws CorruptObjectException if they cannot be inflated, or are not those of a delta
   */
  public void deflated(byte[] raw, int pos, int len) throws CorruptObjectException {
    inflater.setInput(raw, pos, len);
    try {
      for (int n = inflater.inflate(inflated); n > 0; n = inflater.inflate(inflated)) {
        next(inflated, n);
      }
    } catch (DataFormatException e) {
      throw new CorruptObjectException("a delta that cannot be inflated", e);
    }
  }

  /**
   * Takes the next bytes of the delta.
   *
   * @throws CorruptObjectException if they are not those of a delta
   */
  void next(byte[] bytes, int length) throws CorruptObjectException {
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
      throw new CorruptObjectException("a delta with a size of more than 63 bits");
    }
    number |= (b & 0x7fL) << shift;
    shift += 7;
    return (b & 0x80) == 0;
  }

  private void checkSizes() throws CorruptObjectException {
    if (baseSize > MOST_BYTES) {
      throw new CorruptObjectException("a delta to an object of " + tooMany(baseSize));
    }
    if (resultSize > MOST_BYTES) {
      throw new CorruptObjectException("a delta that makes an object of " + tooMany(resultSize));
    }
  }

  /** Text for a number of bytes that is over the limit. */
  static String tooMany(long bytes) {
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
      throw new CorruptObjectException("a delta with the reserved instruction 0");
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
        throw new CorruptObjectException("a delta that copies more than its base has");
      }
      make(copyLength);
      part = Part.INSTRUCTION;
    }
  }

  private void make(int bytes) throws CorruptObjectException {
    made += bytes;
    if (made > resultSize) {
      throw new CorruptObjectException(
          "a delta that makes more than the " + resultSize + " bytes that it declares");
    }
  }

  /**
   * Ends a delta.
   *
   * @return bytes of the object that it makes
   * @throws CorruptObjectException if it ends within an instruction, or makes another number of
   *     bytes than it declares
   */
  public long end() throws CorruptObjectException {
    if (count < LEAST_BYTES || part != Part.INSTRUCTION) {
      throw new CorruptObjectException("a delta that ends early, after " + count + " bytes");
    }
    if (made != resultSize) {
      throw new CorruptObjectException(
          "a delta that makes " + made + " of the " + resultSize + " bytes that it declares");
    }
    return resultSize;
  }

  /** Number of bytes that the base of the delta must have. */
  long baseSize() {
    return baseSize;
  }

  @Override
  public void close() {
    inflater.end();
  }
}

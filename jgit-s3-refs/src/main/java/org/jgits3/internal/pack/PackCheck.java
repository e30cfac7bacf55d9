// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.Closeable;
import java.util.List;
import org.eclipse.jgit.annotations.Nullable;
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
      throw corrupt("a delta to byte " + base + ", where no earlier object is", null);
    }
  }

  /**
   * Takes the header of an object, with the offset or id of its base.
   *
   * @throws CorruptObjectException if a number has more digits than Git reads
   */
  public void header(byte[] raw, int pos, int len) throws CorruptObjectException {
    int digits = 1;
    while ((raw[pos + digits - 1] & 0x80) != 0) {
      digits++;
    }
    boolean hasOffset = ((raw[pos] >> 4) & 7) == Constants.OBJ_OFS_DELTA;
    if (digits > MOST_DIGITS || (hasOffset && len - digits > MOST_DIGITS)) {
      throw corrupt("a number with more digits than Git reads", null);
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
        throw corrupt(e.getMessage(), e);
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
      throw corrupt(e.getMessage(), e);
    }
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

  /** Number of objects that have begun. */
  long objects() {
    return objects;
  }

  private CorruptObjectException corrupt(String problem, @Nullable Throwable cause) {
    return new CorruptObjectException(
        "object " + objects + " of the pack, at byte " + position + ", is " + problem, cause);
  }

  @Override
  public void close() {
    delta.close();
  }
}

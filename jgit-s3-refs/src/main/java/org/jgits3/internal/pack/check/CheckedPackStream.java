// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.check;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.util.NB;

/**
 * Passes on a pack that JGit writes, and checks it like {@code git index-pack}, except for the ids
 * of deltas: JGit copies objects and deltas from another repository as they are stored there, and
 * gives them the type by which another object names them. Takes 13 bytes of memory for each object,
 * whatever its size. Used by one thread.
 */
public final class CheckedPackStream extends OutputStream {
  private static final int TYPES = 8;

  private final PackWriter writer;
  private final OutputStream out;
  private final PackCheck check = new PackCheck();
  private final Inflater inflater = new Inflater();
  private final byte[] inflated = new byte[8 << 10];
  private final MessageDigest digest = Constants.newMessageDigest();

  /** Number of objects of each type, deltas resolved. */
  private final long[] ofType = new long[TYPES];

  /** Bytes so far of the header of the pack or of an object. */
  private final byte[] header = new byte[PackCheck.MOST_HEADER_BYTES];

  private int headerLength;

  /** Position of the next byte. */
  private long position;

  /** Position of the object that the next byte belongs to. */
  private long begin;

  private boolean inContent;
  private long contentLeft;

  /** Objects of the pack that have not begun. */
  private long objectsLeft;

  /** Positions and sizes of the objects so far, deltas resolved. */
  private long[] positions = {};

  private int[] sizes = {};
  private byte[] types = {};
  private int ended;

  /** Index of the base that a delta names by its position. */
  private int base;

  private CheckedPackStream(PackWriter writer, OutputStream out) {
    this.writer = writer;
    this.out = out;
  }

  /**
   * Writes a pack.
   *
   * @param writer has prepared it
   * @param monitor receives the number of objects written
   * @param out receives the pack; not closed
   * @throws CorruptObjectException if Git would not read the pack, or an object has another type
   *     than the object says that names it
   * @throws IOException if an object cannot be read or written, or is larger than any may be
   */
  public static void write(PackWriter writer, ProgressMonitor monitor, OutputStream out)
      throws IOException {
    try (CheckedPackStream checked = new CheckedPackStream(writer, out)) {
      writer.writePack(monitor, monitor, checked);
      checked.checkTypes();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] b, int off, int len) throws IOException {
    try {
      for (int at = off; at < off + len; ) {
        int n = inContent ? content(b, at, off + len - at) : header(b[at]);
        at += n;
        position += n;
      }
    } catch (CorruptObjectException e) {
      throw new UncheckedIOException(e); // else JGit takes the source for bad, and tries for ever
    }
    out.write(b, off, len);
  }

  /** Takes a byte of a header, or of the trailer of the pack. */
  private int header(byte b) throws IOException {
    boolean ofPack = position < PackCheck.HEADER_BYTES;
    if (!ofPack && objectsLeft == 0) {
      return 1;
    }
    if (headerLength == 0) {
      begin = position;
    }
    if (headerLength == header.length) {
      throw new CorruptObjectException("the pack has no object at byte " + begin);
    }
    header[headerLength++] = b;
    if (ofPack && headerLength == PackCheck.HEADER_BYTES) {
      objectsLeft = NB.decodeUInt32(header, 2 * Integer.BYTES);
      headerLength = 0;
    } else if (!ofPack && PackCheck.isWhole(header, headerLength)) {
      begin();
    }
    return 1;
  }

  private void begin() throws IOException {
    switch (PackCheck.type(header, 0)) {
      case Constants.OBJ_OFS_DELTA -> {
        long at = begin - PackCheck.distance(header);
        check.beginDelta(begin, at);
        base = objectAt(at);
      }
      case Constants.OBJ_REF_DELTA -> check.beginDelta(begin);
      default -> check.beginWhole(begin);
    }
    check.header(header, 0, headerLength);
    contentLeft = PackCheck.size(header);
    check.size(contentLeft);
    if (isWhole()) {
      String type = Constants.typeString(PackCheck.type(header, 0));
      digest.update(Constants.encodeASCII(type + " " + contentLeft + "\0"));
    }
    inflater.reset();
    headerLength = 0;
    inContent = true;
    objectsLeft--;
  }

  private boolean isWhole() {
    int type = PackCheck.type(header, 0);
    return type != Constants.OBJ_OFS_DELTA && type != Constants.OBJ_REF_DELTA;
  }

  private int objectAt(long at) throws CorruptObjectException {
    int found = Arrays.binarySearch(positions, 0, ended, at);
    if (found < 0) {
      throw check.corrupt("is a delta to byte " + at + ", where no object begins");
    }
    return found;
  }

  /** Takes bytes of a zlib stream; returns how many of them belong to it. */
  private int content(byte[] b, int off, int len) throws IOException {
    long size = PackCheck.size(header);
    inflater.setInput(b, off, len);
    try {
      for (int n = inflater.inflate(inflated); n > 0; n = inflater.inflate(inflated)) {
        contentLeft -= n;
        if (isWhole()) {
          digest.update(inflated, 0, n);
        }
        check.inflated(inflated, n);
      }
    } catch (DataFormatException e) {
      throw check.corrupt("has a stream that cannot be inflated: " + e.getMessage());
    }
    if (inflater.needsDictionary() || contentLeft < 0) {
      throw check.corrupt("has a stream that inflates to other than " + size + " bytes");
    }
    if (inflater.finished()) {
      end(size);
    }
    return len - inflater.getRemaining();
  }

  private void end(long size) throws IOException {
    if (contentLeft != 0) {
      throw check.corrupt("has a stream that inflates to other than " + size + " bytes");
    }
    int type = PackCheck.type(header, 0);
    long result = size;
    if (type == Constants.OBJ_OFS_DELTA) {
      result = check.endDelta(sizes[base]);
      type = types[base];
    } else if (type == Constants.OBJ_REF_DELTA) {
      result = check.endDelta();
    } else if (!writer.willInclude(ObjectId.fromRaw(digest.digest()))) {
      throw check.corrupt(
          "is no " + Constants.typeString(type) + " with its id, as another object says");
    }
    if (ended == positions.length) {
      int grown = Math.max(1 << 10, ended + (ended >> 1));
      positions = Arrays.copyOf(positions, grown);
      sizes = Arrays.copyOf(sizes, grown);
      types = Arrays.copyOf(types, grown);
    }
    positions[ended] = begin;
    types[ended] = (byte) type;
    sizes[ended++] = (int) result;
    ofType[type]++;
    inContent = false;
  }

  /**
   * Checks the types of objects that are stored as deltas: each has that of its base, and the
   * writer counts it by the type that it was named with.
   */
  private void checkTypes() throws CorruptObjectException {
    if (ofType[Constants.OBJ_REF_DELTA] > 0) {
      return; // a base is not in the pack
    }
    for (int type = Constants.OBJ_COMMIT; type <= Constants.OBJ_TAG; type++) {
      long named = writer.getStatistics().byObjectType(type).getObjects();
      if (named != ofType[type]) {
        throw new CorruptObjectException(
            "the pack has "
                + ofType[type]
                + " objects of type "
                + Constants.typeString(type)
                + ", and other objects name "
                + named);
      }
    }
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() {
    check.close();
    inflater.end();
  }
}

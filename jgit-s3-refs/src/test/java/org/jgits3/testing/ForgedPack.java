// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.TestRepositories;

/** A pack written byte by byte, so that it may say what is not true. Used by one thread. */
public final class ForgedPack {
  /** Most bytes that one instruction copies. */
  private static final int MOST_COPIED = 0xff_ffff;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /**
   * Begins a pack.
   *
   * @param objects number of objects that its header declares
   */
  public ForgedPack(int objects) {
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      out.write("PACK".getBytes(US_ASCII));
      out.writeInt(2);
      out.writeInt(objects);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Position of the next object. */
  public int position() {
    return bytes.size();
  }

  /** Appends bytes as they are. */
  public ForgedPack raw(byte... content) {
    bytes.writeBytes(content);
    return this;
  }

  /** Appends the header of an object or delta, with its type and its length after inflation. */
  public ForgedPack header(int type, long length) {
    long rest = length >>> 4;
    bytes.write((int) ((type << 4) | (length & 15) | (rest > 0 ? 0x80 : 0)));
    return rest > 0 ? raw(varint(rest)) : this;
  }

  /** Appends a zlib stream. */
  public ForgedPack deflated(byte... content) {
    try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** Appends an object. */
  public ForgedPack object(int type, byte[] content) {
    return header(type, content.length).deflated(content);
  }

  /** Appends an object, which is stored without any effort to compress it. */
  public ForgedPack stored(int type, byte[] content) {
    header(type, content.length);
    Deflater deflater = new Deflater(Deflater.NO_COMPRESSION);
    try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, deflater, 1 << 16)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      deflater.end();
    }
    return this;
  }

  /** Appends a delta against the object at a position. */
  public ForgedPack delta(long base, byte[] delta) {
    long distance = position() - base;
    return header(Constants.OBJ_OFS_DELTA, delta.length).raw(offset(distance)).deflated(delta);
  }

  /** Appends a delta against an object of any place. */
  public ForgedPack delta(AnyObjectId base, byte[] delta) {
    byte[] id = new byte[Constants.OBJECT_ID_LENGTH];
    base.copyRawTo(id, 0);
    return header(Constants.OBJ_REF_DELTA, delta.length).raw(id).deflated(delta);
  }

  /** Ends the pack with the checksum of all bytes; more may follow. */
  public byte[] closed() {
    raw(Constants.newMessageDigest().digest(bytes.toByteArray()));
    return open();
  }

  /** Returns the bytes so far. */
  public byte[] open() {
    return bytes.toByteArray();
  }

  /** A pack of a commit whose file is a delta that declares 600 bytes and makes 43 of them. */
  public static PackBytes withShortDelta() throws IOException {
    byte[] base = {'b', 'a', 's', 'e'};
    byte[] short43 = delta(base.length, 600, insert(new byte[43]));
    TreeFormatter tree = new TreeFormatter();
    tree.append("a", FileMode.REGULAR_FILE, id(Constants.OBJ_BLOB, base));
    tree.append("b", FileMode.REGULAR_FILE, id(Constants.OBJ_BLOB, new byte[600]));
    byte[] root = tree.toByteArray();
    byte[] commit = TestRepositories.commitOf(id(Constants.OBJ_TREE, root), "message").build();
    ForgedPack pack = new ForgedPack(4);
    int at = pack.position();
    pack.object(Constants.OBJ_BLOB, base).delta(at, short43);
    pack.object(Constants.OBJ_TREE, root).object(Constants.OBJ_COMMIT, commit);
    return new PackBytes(pack.closed(), id(Constants.OBJ_COMMIT, commit));
  }

  /** Id of an object. */
  public static ObjectId id(int type, byte[] content) {
    try (ObjectInserter.Formatter ids = new ObjectInserter.Formatter()) {
      return ids.idFor(type, content);
    }
  }

  /** Builds a delta from the lengths that it declares and its instructions. */
  public static byte[] delta(long from, long to, byte[] how) {
    ByteArrayOutputStream delta = new ByteArrayOutputStream();
    delta.writeBytes(varint(from));
    delta.writeBytes(varint(to));
    delta.writeBytes(how);
    return delta.toByteArray();
  }

  /** Encodes a length: seven bits in each byte, the lowest first. */
  public static byte[] varint(long value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    long rest = value;
    do {
      out.write((int) ((rest & 0x7f) | (rest >>> 7 != 0 ? 0x80 : 0)));
      rest >>>= 7;
    } while (rest != 0);
    return out.toByteArray();
  }

  /** Encodes the distance to a base. */
  public static byte[] offset(long distance) {
    byte[] digits = new byte[10];
    int at = digits.length - 1;
    digits[at] = (byte) (distance & 0x7f);
    for (long rest = distance >>> 7; rest > 0; rest >>>= 7) {
      rest--;
      digits[--at] = (byte) (0x80 | (rest & 0x7f));
    }
    return Arrays.copyOfRange(digits, at, digits.length);
  }

  /** The instruction that copies a part of the base. */
  public static byte[] copy(int offset, int length) {
    byte[] how = new byte[8];
    how[0] = (byte) 0xff;
    for (int i = 0; i < Integer.BYTES; i++) {
      how[1 + i] = (byte) (offset >>> (Byte.SIZE * i));
    }
    for (int i = 0; i < 3; i++) {
      how[5 + i] = (byte) (length >>> (Byte.SIZE * i));
    }
    return how;
  }

  /** The instruction that inserts bytes, 127 at most. */
  public static byte[] insert(byte... content) {
    byte[] how = new byte[1 + content.length];
    how[0] = (byte) content.length;
    System.arraycopy(content, 0, how, 1, content.length);
    return how;
  }

  /** Instructions that copy an object of some length and put a few other bytes at its end. */
  public static byte[] copyAnd(int length, byte... end) {
    ByteArrayOutputStream how = new ByteArrayOutputStream();
    for (int at = 0; at < length - end.length; at += MOST_COPIED) {
      how.writeBytes(copy(at, Math.min(MOST_COPIED, length - end.length - at)));
    }
    how.writeBytes(insert(end));
    return how.toByteArray();
  }
}

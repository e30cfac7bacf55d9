// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.RefChange;

/**
 * Reads the bytes of a {@link BlockBuffer}. Throws {@link IllegalArgumentException} for bytes that
 * {@link BlockBuffer} cannot have written. Used by one thread.
 */
public final class BlockCursor {
  private static final int ID = 20;

  private final byte[] bytes;
  private final int end;
  private int at;

  /** Ids by their slots; empty before the first id, so that a block of no ids takes no memory. */
  private ObjectId[] slots = {};

  private final List<String> texts = new ArrayList<>();
  private byte[] name = new byte[64];
  private int nameLength;
  private long generation;
  private long time;

  public BlockCursor(byte[] bytes, int offset, int length) {
    this.bytes = bytes;
    this.at = offset;
    this.end = offset + length;
  }

  public boolean atEnd() {
    return at == end;
  }

  /**
   * A transaction, or a part of one.
   *
   * @param entry the transaction with the changes of the part
   * @param more true if the next entry is another part of the same transaction
   */
  public record Part(LogEntry entry, boolean more) {}

  public Part entry() {
    generation += number();
    time += signed();
    int zone = Math.toIntExact(signed());
    String who = shared();
    String email = shared();
    String message = shared();
    boolean more = number() != 0;
    int count = count(2);
    List<RefChange> changes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      changes.add(change());
    }
    LogEntry entry =
        new LogEntry(generation, time, zone, who, email, message, changes, Optional.empty());
    return new Part(entry, more);
  }

  RefChange change() {
    int flags = Math.toIntExact(number());
    String ref = name();
    ObjectId old = id(flags & BlockBuffer.OLD, flags & BlockBuffer.OLD_SLOT);
    ObjectId now = id(flags & BlockBuffer.NEW, flags & BlockBuffer.NEW_SLOT);
    return new RefChange(
        ref,
        old,
        now,
        text(flags & BlockBuffer.OLD_TARGET),
        text(flags & BlockBuffer.NEW_TARGET),
        text(flags & BlockBuffer.RENAMED));
  }

  private ObjectId id(int present, int known) {
    if (present == 0) {
      return ObjectId.zeroId();
    }
    if (known != 0) {
      long slot = number();
      ObjectId id = slot < slots.length ? slots[(int) slot] : null;
      if (id == null) {
        throw new IllegalArgumentException("an id that was not written before");
      }
      return id;
    }
    ObjectId id = ObjectId.fromRaw(bytes, take(ID));
    if (slots.length == 0) {
      slots = new ObjectId[BlockBuffer.SLOTS];
    }
    slots[BlockBuffer.slot(id)] = id;
    return id;
  }

  private String name() {
    long shared = number();
    int rest = length();
    if (shared > nameLength) {
      throw new IllegalArgumentException("a name that shares more than there is");
    }
    int length = Math.addExact((int) shared, rest);
    if (length > name.length) {
      name = Arrays.copyOf(name, Math.max(length, 2 * name.length));
    }
    System.arraycopy(bytes, take(rest), name, (int) shared, rest);
    nameLength = length;
    return new String(name, 0, length, UTF_8);
  }

  private String shared() {
    long number = number();
    if (number > texts.size()) {
      throw new IllegalArgumentException("a text that was not written before");
    }
    if (number == 0) {
      texts.add(text());
      return texts.get(texts.size() - 1);
    }
    return texts.get((int) number - 1);
  }

  private Optional<String> text(int present) {
    return present == 0 ? Optional.empty() : Optional.of(text());
  }

  String text() {
    int length = length();
    return new String(bytes, take(length), length, UTF_8);
  }

  private int length() {
    long length = number();
    if (length > end - at) {
      throw new IllegalArgumentException("a text that is longer than the block");
    }
    return (int) length;
  }

  /** Reads the number of elements that follow; refuses one for which too few bytes are left. */
  int count(int bytesOfEach) {
    long count = number();
    if (count > (end - at) / bytesOfEach) {
      throw new IllegalArgumentException("more than there are bytes");
    }
    return (int) count;
  }

  /** Reads a number of at least 0. */
  long number() {
    long value = varint();
    if (value < 0) {
      throw new IllegalArgumentException("a negative number");
    }
    return value;
  }

  private long signed() {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte b = bytes[take(1)];
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number without end");
  }

  private int take(int length) {
    if (length > end - at) {
      throw new IllegalArgumentException("it ends early");
    }
    int from = at;
    at += length;
    return from;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.RefChange;

/**
 * A block of a {@link BlockFile} while it is written; {@link BlockCursor} reads it. A block can be
 * read on its own, because ids and texts that entries refer to are written again in each block.
 *
 * <p>Numbers are little-endian groups of seven bits. A name is written as the number of bytes it
 * shares with the name before it, and the rest. An id that was written recently is written as the
 * number of its slot in a table of {@value #SLOTS}, which writer and reader both keep; an id of
 * zeros is a bit. Each text of entries is written once, and then referred to by its number.
 *
 * <p>Used by one thread.
 */
final class BlockBuffer {
  static final int SLOTS = 1 << 12;

  static final int OLD = 1;
  static final int OLD_SLOT = 1 << 1;
  static final int NEW = 1 << 2;
  static final int NEW_SLOT = 1 << 3;
  static final int OLD_TARGET = 1 << 4;
  static final int NEW_TARGET = 1 << 5;
  static final int RENAMED = 1 << 6;

  private static final int ID = 20;

  private final ObjectId[] slots = new ObjectId[SLOTS];
  private final Map<String, Integer> texts = new HashMap<>();
  private byte[] bytes = new byte[1 << 12];
  private int size;

  private byte[] name = {};

  private int nameStart;
  private int nameEnd;
  private long generation;
  private long time;

  /** Slot of the table that an id goes to. */
  static int slot(ObjectId id) {
    return (id.getByte(18) << 8 | id.getByte(19)) & (SLOTS - 1);
  }

  byte[] bytes() {
    return bytes;
  }

  int size() {
    return size;
  }

  /** Begins the next block. */
  void clear() {
    size = 0;
    nameEnd = nameStart;
    generation = 0;
    time = 0;
    texts.clear();
    Arrays.fill(slots, null);
  }

  /**
   * Appends a transaction, or a part of one.
   *
   * @param entry the transaction; its own changes are ignored
   * @param changes the changes, or those of the part
   * @param more true if the next entry is another part of the same transaction
   */
  void entry(LogEntry entry, List<RefChange> changes, boolean more) {
    number(entry.generation() - generation);
    signed(entry.time() - time);
    generation = entry.generation();
    time = entry.time();
    signed(entry.zone());
    shared(entry.name());
    shared(entry.email());
    shared(entry.message());
    number(more ? 1 : 0);
    number(changes.size());
    changes.forEach(this::change);
  }

  void change(RefChange c) {
    int flags = idFlags(c.oldId(), c.newId());
    flags |= c.oldTarget().isPresent() ? OLD_TARGET : 0;
    flags |= c.newTarget().isPresent() ? NEW_TARGET : 0;
    flags |= c.renamedFrom().isPresent() ? RENAMED : 0;
    byte[] ref = c.ref().getBytes(UTF_8);
    change(flags, ref, 0, ref.length, c.oldId(), c.newId());
    text(c.oldTarget());
    text(c.newTarget());
    text(c.renamedFrom());
  }

  /** Appends a change of a ref that is not symbolic. */
  void change(byte[] ref, int start, int end, ObjectId from, ObjectId to) {
    change(idFlags(from, to), ref, start, end, from, to);
  }

  private void change(int flags, byte[] ref, int start, int end, ObjectId from, ObjectId to) {
    number(flags);
    name(ref, start, end);
    id(from, flags & OLD, flags & OLD_SLOT);
    id(to, flags & NEW, flags & NEW_SLOT);
  }

  private int idFlags(ObjectId from, ObjectId to) {
    return flags(from, slots[slot(from)], OLD, OLD_SLOT)
        | flags(to, inSlotAfter(from, slot(to)), NEW, NEW_SLOT);
  }

  private static int flags(ObjectId id, ObjectId inSlot, int present, int known) {
    if (id.equals(ObjectId.zeroId())) {
      return 0;
    }
    return id.equals(inSlot) ? present | known : present;
  }

  /** Returns the id that a slot holds after an id was written that may belong there. */
  private ObjectId inSlotAfter(ObjectId written, int slot) {
    boolean takes = slot(written) == slot && !written.equals(ObjectId.zeroId());
    return takes ? written : slots[slot];
  }

  private void id(ObjectId id, int present, int known) {
    if (known != 0) {
      number(slot(id));
    } else if (present != 0) {
      reserve(ID);
      id.copyRawTo(bytes, size);
      size += ID;
    }
    if (present != 0) {
      slots[slot(id)] = id;
    }
  }

  private void name(byte[] ref, int start, int end) {
    int shared = Arrays.mismatch(name, nameStart, nameEnd, ref, start, end);
    shared = shared < 0 ? end - start : shared;
    number(shared);
    number(end - start - shared);
    raw(ref, start + shared, end - start - shared);
    name = ref;
    nameStart = start;
    nameEnd = end;
  }

  private void shared(String text) {
    Integer known = texts.putIfAbsent(text, texts.size() + 1);
    number(known == null ? 0 : known);
    if (known == null) {
      text(Optional.of(text));
    }
  }

  void text(Optional<String> text) {
    if (text.isPresent()) {
      byte[] utf8 = text.get().getBytes(UTF_8);
      number(utf8.length);
      raw(utf8, 0, utf8.length);
    }
  }

  void number(long value) {
    reserve(10);
    long left = value;
    while ((left & ~0x7fL) != 0) {
      bytes[size++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    bytes[size++] = (byte) left;
  }

  private void signed(long value) {
    number(value << 1 ^ value >> 63);
  }

  private void raw(byte[] src, int offset, int length) {
    reserve(length);
    System.arraycopy(src, offset, bytes, size, length);
    size += length;
  }

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
    }
  }
}

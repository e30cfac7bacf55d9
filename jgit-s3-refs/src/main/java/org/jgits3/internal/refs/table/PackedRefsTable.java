// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.Crc32c;

/**
 * One table of refs in Git's packed-refs format, searched in place: the bytes as they came from the
 * store, and the start of each ref's line. Creates an object for a ref only when it is requested.
 *
 * <p>A ref whose id is zero marks one that was deleted from the table below, see {@link RefTable}.
 *
 * <p>Refs are sorted by the UTF-8 bytes of their names and fully peeled. They are numbered from 0.
 * The bytes are one array, usually of exactly the snapshot's size. Immutable.
 */
public final class PackedRefsTable {
  /** First line of every snapshot, as C git writes and understands it. */
  public static final String HEADER = "# pack-refs with: peeled fully-peeled sorted \n";

  /** The table without refs. */
  public static final PackedRefsTable EMPTY = new PackedRefsTable(new byte[0], 0, new int[0]);

  /** Most bytes of a table: those of the largest array that every virtual machine makes. */
  static final int LARGEST = Integer.MAX_VALUE - 8;

  private static final int HEX = 40;

  /** Start of a name in the line of its ref. */
  public static final int NAME = HEX + 1;

  private static final byte[] ZERO = ObjectId.zeroId().name().getBytes(US_ASCII);

  /** Line of a peeled value: {@code ^}, the id and a line feed. */
  private static final int PEELED = HEX + 2;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Bytes that an array takes besides its elements. */
  private static final int ARRAY = 16;

  private final byte[] bytes;

  /** End of the lines. */
  private final int end;

  /** Start of the line of each ref. */
  private final int[] lines;

  /** Created when it is first needed; null before. */
  @Nullable private volatile TipIndex tips;

  /**
   * Creates a table of lines that are known to follow the format.
   *
   * @param bytes the header and the lines; kept, not copied
   * @param end end of the lines
   * @param lines start of the line of each ref; kept, not copied
   */
  PackedRefsTable(byte[] bytes, int end, int[] lines) {
    this.bytes = bytes;
    this.end = end;
    this.lines = lines;
  }

  /**
   * Refuses a table that no array can hold.
   *
   * @param what what it is, for the message
   * @param size bytes it has or would have
   * @param count refs it has or would have
   * @throws IOException if it is too large
   */
  public static void checkSize(String what, long size, long count) throws IOException {
    if (size > LARGEST) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s: %,d refs of %,d bytes are too many; a table of refs has at most %,d bytes",
              what,
              count,
              size,
              LARGEST));
    }
  }

  /** Tests whether a table can hold a ref; others stay in the overlay. */
  public static boolean holds(String name) {
    return name.startsWith(Constants.R_REFS);
  }

  public int size() {
    return lines.length;
  }

  /**
   * Memory of the table; grows when {@link #anyTip} is first called.
   *
   * @return bytes of its arrays
   */
  public long bytes() {
    TipIndex index = tips;
    long arrays = 2L * ARRAY + bytes.length + (long) lines.length * Integer.BYTES;
    return arrays + (index == null ? 0 : index.bytes());
  }

  /** Start of the lines of a ref; the end of all lines for the number of refs. */
  int start(int index) {
    return index < lines.length ? lines[index] : end;
  }

  /** The first so many refs. */
  PackedRefsTable first(int refs) {
    return new PackedRefsTable(bytes, start(refs), Arrays.copyOf(lines, refs));
  }

  /** End of the lines of a ref. */
  private int end(int index) {
    return start(index + 1);
  }

  /**
   * Bytes of the lines of some refs, those of their peeled values included.
   *
   * @param from index of the first ref
   * @param to index after the last one
   * @return bytes
   */
  public long lineBytes(int from, int to) {
    return (long) start(to) - start(from);
  }

  /**
   * Passes on the lines of some refs, those of their peeled values included, without copying them.
   *
   * @param from index of the first ref
   * @param to index after the last one
   * @param out receives them as one slice
   * @throws IOException if {@code out} fails
   */
  void copy(int from, int to, OutputStream out) throws IOException {
    int start = start(from);
    out.write(bytes, start, start(to) - start);
  }

  /**
   * Passes on some refs one by one, without creating an object for any.
   *
   * @param from index of the first ref
   * @param to index after the last one
   * @param out receives them
   * @throws IOException if {@code out} fails
   */
  public void forEach(int from, int to, RefLineSink out) throws IOException {
    for (int i = from; i < to; i++) {
      int next = end(i);
      boolean tag = isPeeled(bytes, lines[i] + HEX + 1, next);
      out.ref(bytes, lines[i], tag ? next - PEELED - 1 : next - 1, tag ? next - HEX - 1 : -1);
    }
  }

  /** Distinct ids of the refs. */
  public Set<ObjectId> tips() {
    Set<ObjectId> tips = new HashSet<>();
    for (int i = 0; i < size(); i++) {
      tips.add(ObjectId.fromString(bytes, lines[i]));
    }
    return tips;
  }

  /**
   * Tests whether two tables have the same refs, whatever is known of peeled values.
   *
   * @param other the other table
   * @return true if names and ids are equal
   */
  public boolean hasSameRefs(PackedRefsTable other) {
    boolean same = size() == other.size();
    for (int i = 0; same && i < size(); i++) {
      same =
          Arrays.equals(bytes, lines[i], nameEnd(i), other.bytes, other.lines[i], other.nameEnd(i));
    }
    return same;
  }

  /**
   * Finds a ref whose name has that of another as a directory, which Git does not allow.
   *
   * @return its index; -1 if there is none
   */
  public int nested() {
    int before = 0;
    int beforeEnd = 0;
    for (int i = 0; i < size(); i++) {
      int name = lines[i] + NAME;
      int nameEnd = nameEnd(i);
      // Directories that this name shares with the one before were checked there.
      int common = Arrays.mismatch(bytes, before, beforeEnd, bytes, name, nameEnd); // never equal
      for (int at = name + common; at < nameEnd; at++) {
        if (bytes[at] == '/' && find(bytes, name, at, 0, i) >= 0) {
          return i;
        }
      }
      before = name;
      beforeEnd = nameEnd;
    }
    return -1;
  }

  /**
   * Passes on the whole snapshot, header included.
   *
   * @param out receives it as one slice
   * @throws IOException if {@code out} fails
   */
  public void writeTo(PackedRefsSink out) throws IOException {
    out.accept(bytes, 0, end);
  }

  /** CRC32C of the whole snapshot. */
  public int crc32c() {
    return Crc32c.of(bytes, 0, end);
  }

  /** SHA-256 of the whole snapshot, in hex. */
  public String sha256() {
    MessageDigest digest = Sha256.begin();
    digest.update(bytes, 0, end);
    return HexFormat.of().formatHex(digest.digest());
  }

  /**
   * Finds a ref.
   *
   * @param name its full name
   * @return its index, or {@code -(insertion point) - 1}
   */
  public int find(String name) {
    return find(name.getBytes(UTF_8));
  }

  /**
   * Finds a ref.
   *
   * @param name UTF-8 bytes of its name
   * @return its index, or {@code -(insertion point) - 1}
   */
  public int find(byte[] name) {
    return find(name, 0, name.length, 0, size());
  }

  /**
   * Finds a ref of another table, as {@link #findFrom} does.
   *
   * @param other the other table
   * @param index index of the ref there
   * @param first least index that it has here, or would have
   * @return its index here, or {@code -(insertion point) - 1}
   */
  int findFrom(PackedRefsTable other, int index, int first) {
    return findFrom(other.bytes, other.lines[index] + NAME, other.nameEnd(index), first);
  }

  /**
   * Finds a ref whose name is likely to be near a known one: with n refs between the two, compares
   * some 2 log n names. Names in order are thus found with fewer comparisons the closer they are.
   *
   * @param name array with the UTF-8 bytes of its name
   * @param from start of the name
   * @param to end of the name
   * @param first least index that it has, or would have
   * @return its index, or {@code -(insertion point) - 1}
   */
  int findFrom(byte[] name, int from, int to, int first) {
    int low = first;
    int next = first;
    for (int step = 1; next < size() && compare(lines[next], name, from, to) < 0; step *= 2) {
      low = next + 1;
      next += step; // at most twice the number of refs, which are too few to overflow
    }
    return find(name, from, to, low, Math.min(next + 1, size()));
  }

  /** Finds a name whose insertion point is known to be between two indexes, both included. */
  int find(byte[] name, int from, int to, int first, int last) {
    int low = first;
    int high = last - 1;
    while (low <= high) {
      int mid = (low + high) >>> 1;
      int cmp = compare(lines[mid], name, from, to);
      if (cmp < 0) {
        low = mid + 1;
      } else if (cmp > 0) {
        high = mid - 1;
      } else if (hasLineFeed(name, from, to)) {
        return -(mid + 1) - 1; // the match runs past the end of a line, so it is no name
      } else {
        return mid;
      }
    }
    return -(low + 1);
  }

  private static boolean hasLineFeed(byte[] name, int from, int to) {
    for (int i = from; i < to; i++) {
      if (name[i] == '\n') {
        return true;
      }
    }
    return false;
  }

  /** Compares the name of the ref whose line begins at {@code line} with another. */
  private int compare(int line, byte[] name, int from, int to) {
    int at = line + HEX + 1;
    int most = Math.min(to - from, bytes.length - at - 1);
    int i = Arrays.mismatch(bytes, at, at + most, name, from, from + most);
    if (i < 0) {
      return most < to - from ? -1 : bytes[at + most] == '\n' ? 0 : 1;
    }
    return bytes[at + i] == '\n'
        ? -1
        : Integer.compare(bytes[at + i] & 0xff, name[from + i] & 0xff);
  }

  /**
   * First ref at or after a name.
   *
   * @param name UTF-8 bytes
   * @return index from 0 to {@link #size}
   */
  public int ceiling(byte[] name) {
    int i = find(name);
    return i < 0 ? -(i + 1) : i;
  }

  /** Tests whether a ref marks one that was deleted. */
  boolean isMark(int index) {
    return hasId(index, ZERO);
  }

  /**
   * Refs whose numbers follow each other.
   *
   * @param from index of the first one
   * @param to index after the last one
   */
  public record Range(int from, int to) {
    public int size() {
      return to - from;
    }
  }

  /**
   * The refs whose names begin with a prefix.
   *
   * @param prefix the prefix; empty for all refs
   * @return their indexes
   */
  public Range range(String prefix) {
    if (prefix.isEmpty()) {
      return new Range(0, size());
    }
    byte[] first = prefix.getBytes(UTF_8);
    int from = ceiling(first);
    if (hasLineFeed(first, 0, first.length)) {
      return new Range(from, from); // it would run over the end of a line
    }
    int low = from;
    int high = size();
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (startsWith(mid, first)) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return new Range(from, low);
  }

  /**
   * Tests whether a ref's name begins with a prefix.
   *
   * @param index index of the ref
   * @param prefix UTF-8 bytes
   * @return true if it does
   */
  public boolean startsWith(int index, byte[] prefix) {
    int at = lines[index] + HEX + 1;
    return prefix.length < bytes.length - at
        && Arrays.mismatch(bytes, at, at + prefix.length, prefix, 0, prefix.length) < 0;
  }

  /** UTF-8 bytes of the name of a ref. */
  byte[] nameBytes(int index) {
    return Arrays.copyOfRange(bytes, lines[index] + NAME, nameEnd(index));
  }

  public String name(int index) {
    int at = lines[index] + HEX + 1;
    return new String(bytes, at, nameEnd(index) - at, UTF_8);
  }

  private int nameEnd(int index) {
    int next = end(index);
    return (isPeeled(bytes, lines[index] + HEX + 1, next) ? next - PEELED : next) - 1;
  }

  /** Adds a ref to the changes that these refs are, of which a mark is a deletion. */
  void addTo(RefDelta.Builder changes, int index) {
    int at = lines[index] + HEX + 1;
    changes.add(bytes, at, nameEnd(index), isMark(index) ? RefValue.DELETED : value(index));
  }

  /**
   * Value of a ref.
   *
   * @param index index of the ref
   * @return its value
   */
  public RefValue.Direct value(int index) {
    int at = lines[index];
    int next = end(index);
    return new RefValue.Direct(
        ObjectId.fromString(bytes, at),
        isPeeled(bytes, at + HEX + 1, next)
            ? Optional.of(ObjectId.fromString(bytes, next - HEX - 1))
            : Optional.empty());
  }

  /**
   * Creates the ref.
   *
   * @param index index of the ref
   * @return the ref, with its peeled value
   */
  public Ref ref(int index) {
    return ref(index, name(index));
  }

  /**
   * Creates the ref.
   *
   * @param index index of the ref
   * @param name its name, which saves decoding it
   * @return the ref, with its peeled value
   */
  public Ref ref(int index, String name) {
    int at = lines[index];
    int next = end(index);
    ObjectId id = ObjectId.fromString(bytes, at);
    return isPeeled(bytes, at + HEX + 1, next)
        ? new ObjectIdRef.PeeledTag(
            Ref.Storage.PACKED, name, id, ObjectId.fromString(bytes, next - HEX - 1))
        : new ObjectIdRef.PeeledNonTag(Ref.Storage.PACKED, name, id);
  }

  /** Tests whether the lines of a ref, which end at {@code end}, include one of a peeled value. */
  private static boolean isPeeled(byte[] bytes, int name, int end) {
    return end - PEELED > name && bytes[end - PEELED] == '^' && bytes[end - PEELED - 1] == '\n';
  }

  /** Tests whether a ref points to an annotated tag, so that the table has its peeled id. */
  boolean isTag(int index) {
    return isPeeled(bytes, lines[index] + HEX + 1, end(index));
  }

  /** First digits of the id of a ref, as a number that is only compared for equality. */
  long idPrefix(int index) {
    return prefix(bytes, lines[index]);
  }

  /** First digits of the peeled id of a tag, as {@link #idPrefix}. */
  long peeledPrefix(int index) {
    return prefix(bytes, end(index) - HEX - 1);
  }

  static long prefix(byte[] hex, int at) {
    return (long) LONG.get(hex, at);
  }

  /** Tests whether a ref has an id, given in hex. */
  boolean hasId(int index, byte[] hex) {
    int at = lines[index];
    return Arrays.equals(bytes, at, at + HEX, hex, 0, HEX);
  }

  /** Tests whether a tag peels to an id, given in hex. */
  boolean peelsTo(int index, byte[] hex) {
    int at = end(index) - HEX - 1;
    return Arrays.equals(bytes, at, at + HEX, hex, 0, HEX);
  }

  /**
   * Looks for a ref of an object, by an index that is built when it is first needed.
   *
   * @param id the object
   * @param wanted tests the index of a ref that points to the object or a tag of it; called twice
   *     if both
   * @return true as soon as one is wanted
   */
  public boolean anyTip(AnyObjectId id, IntPredicate wanted) {
    if (size() == 0) {
      return false; // EMPTY, which many share, never grows
    }
    TipIndex index = tips;
    if (index == null) {
      synchronized (this) {
        index = tips;
        if (index == null) {
          index = new TipIndex(this);
          tips = index;
        }
      }
    }
    return index.any(id, wanted);
  }
}

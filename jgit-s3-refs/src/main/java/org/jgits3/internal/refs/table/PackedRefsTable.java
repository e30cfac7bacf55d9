// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.manifest.RefValue;

/**
 * One table of refs in Git's packed-refs format, searched in place: the bytes as they came from the
 * store, and the start of each ref's line. Creates an object for a ref only when it is requested.
 *
 * <p>A ref whose id is zero marks one that was deleted from the table below, see {@link RefTable}.
 *
 * <p>Refs are sorted by the UTF-8 bytes of their names and fully peeled. They are numbered from 0.
 * The bytes are in parts, since an array ends at 2 GiB: usually one, of exactly the snapshot's
 * size, else several, each of whole refs and with less than one ref's lines unused at its end.
 * Immutable.
 */
public final class PackedRefsTable {
  /** First line of every snapshot, as C git writes and understands it. */
  public static final String HEADER = "# pack-refs with: peeled fully-peeled sorted \n";

  /** The table without refs. */
  public static final PackedRefsTable EMPTY = new PackedRefsTable(List.of(), new int[0]);

  /** Bytes of a part, unless another limit is given. */
  public static final int PART = 1 << 30;

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

  private final Part[] parts;

  /** Start of the line of each ref in its part. */
  private final int[] lines;

  /** Created when it is first needed; null before. */
  @Nullable private volatile TipIndex tips;

  /**
   * Array with whole refs.
   *
   * @param bytes array with their lines
   * @param end end of the lines
   * @param first index of the first ref
   */
  @SuppressWarnings("ArrayRecordComponent") // shared, never compared
  record Part(byte[] bytes, int end, int first) {}

  /**
   * Creates a table of parts that are known to follow the format.
   *
   * @param parts parts in order, the first one beginning with the header; none for no refs at all
   * @param lines start of the line of each ref in its part; kept, not copied
   */
  PackedRefsTable(List<Part> parts, int[] lines) {
    this.parts = parts.toArray(new Part[0]);
    this.lines = lines;
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
    long bytes = index == null ? 0 : index.bytes();
    bytes += ARRAY + (long) lines.length * Integer.BYTES;
    for (Part part : parts) {
      bytes += ARRAY + part.bytes().length;
    }
    return bytes;
  }

  /** Index after the last ref of a part. */
  private int last(int part) {
    return part + 1 < parts.length ? parts[part + 1].first() : lines.length;
  }

  private int partOf(int index) {
    int part = parts.length - 1;
    while (parts[part].first() > index) {
      part--;
    }
    return part;
  }

  /** End of the lines of a ref. */
  private int end(int part, int index) {
    return index + 1 < last(part) ? lines[index + 1] : parts[part].end();
  }

  /**
   * Bytes of the lines of some refs, those of their peeled values included.
   *
   * @param from index of the first ref
   * @param to index after the last one
   * @return bytes
   */
  public long lineBytes(int from, int to) {
    long bytes = 0;
    for (int i = from; i < to; ) {
      int part = partOf(i);
      int next = Math.min(to, last(part));
      bytes += end(part, next - 1) - lines[i];
      i = next;
    }
    return bytes;
  }

  /**
   * Passes on the lines of some refs, those of their peeled values included, without copying them:
   * at most one slice of each part.
   *
   * @param from index of the first ref
   * @param to index after the last one
   * @param out receives them
   * @throws IOException if {@code out} fails
   */
  void copy(int from, int to, PackedRefsSink out) throws IOException {
    for (int i = from; i < to; ) {
      int part = partOf(i);
      int next = Math.min(to, last(part));
      out.accept(parts[part].bytes(), lines[i], end(part, next - 1) - lines[i]);
      i = next;
    }
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
    for (int i = from; i < to; ) {
      int part = partOf(i);
      byte[] bytes = parts[part].bytes();
      for (int next = Math.min(to, last(part)); i < next; i++) {
        int end = end(part, i);
        boolean tag = isPeeled(bytes, lines[i] + HEX + 1, end);
        out.ref(bytes, lines[i], tag ? end - PEELED - 1 : end - 1, tag ? end - HEX - 1 : -1);
      }
    }
  }

  /** Distinct ids of the refs. */
  public Set<ObjectId> tips() {
    Set<ObjectId> tips = new HashSet<>();
    for (int i = 0; i < size(); i++) {
      tips.add(ObjectId.fromString(parts[partOf(i)].bytes(), lines[i]));
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
      int a = partOf(i);
      int b = other.partOf(i);
      same =
          Arrays.equals(
              parts[a].bytes(),
              lines[i],
              nameEnd(a, i),
              other.parts[b].bytes(),
              other.lines[i],
              other.nameEnd(b, i));
    }
    return same;
  }

  /**
   * Finds a ref whose name has that of another as a directory, which Git does not allow.
   *
   * @return its index; -1 if there is none
   */
  public int nested() {
    byte[] before = {};
    int from = 0;
    int to = 0;
    for (int i = 0; i < size(); i++) {
      int part = partOf(i);
      byte[] bytes = parts[part].bytes();
      int name = lines[i] + NAME;
      int end = nameEnd(part, i);
      // directories that the name before was in, too, have been looked for
      for (int at = name + mismatch(before, from, to, bytes, name, end); at < end; at++) {
        if (bytes[at] == '/' && find(bytes, name, at, 0, i) >= 0) {
          return i;
        }
      }
      before = bytes;
      from = name;
      to = end;
    }
    return -1;
  }

  private static int mismatch(byte[] a, int fromA, int toA, byte[] b, int fromB, int toB) {
    return Math.max(0, Arrays.mismatch(a, fromA, toA, b, fromB, toB)); // never equal
  }

  /** Tests whether a name has a character beyond the basic plane. */
  public boolean hasSupplementary() {
    for (int i = 0; i < size(); i++) {
      int part = partOf(i);
      byte[] bytes = parts[part].bytes();
      int end = nameEnd(part, i);
      for (int at = lines[i] + NAME; at < end; at++) {
        if ((bytes[at] & 0xff) >= RefNames.SUPPLEMENTARY) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Passes on the whole snapshot, header included.
   *
   * @param out receives it, one slice of each part
   * @throws IOException if {@code out} fails
   */
  public void writeTo(PackedRefsSink out) throws IOException {
    for (Part part : parts) {
      out.accept(part.bytes(), 0, part.end());
    }
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
    return find(name, 0, name.length);
  }

  /**
   * Finds a ref.
   *
   * @param name array with the UTF-8 bytes of its name
   * @param from start of the name
   * @param to end of the name
   * @return its index, or {@code -(insertion point) - 1}
   */
  int find(byte[] name, int from, int to) {
    return find(name, from, to, 0, size());
  }

  /**
   * Finds a ref of another table.
   *
   * @param other the other table
   * @param index index of the ref there
   * @param first index of a ref here that is not after it, or of one more than the last
   * @return its index here, or {@code -(insertion point) - 1}
   */
  int find(PackedRefsTable other, int index, int first) {
    int part = other.partOf(index);
    int from = other.lines[index] + HEX + 1;
    return find(other.parts[part].bytes(), from, other.nameEnd(part, index), first, size());
  }

  /** Finds a name whose insertion point is known to be between two indexes, both included. */
  int find(byte[] name, int from, int to, int first, int last) {
    if (first == last) {
      return -(first + 1);
    }
    int part = parts.length - 1;
    while (part > 0
        && compare(parts[part].bytes(), lines[parts[part].first()], name, from, to) > 0) {
      part--;
    }
    byte[] bytes = parts[part].bytes();
    int low = Math.max(first, parts[part].first());
    int high = Math.min(last, last(part)) - 1;
    while (low <= high) {
      int mid = (low + high) >>> 1;
      int cmp = compare(bytes, lines[mid], name, from, to);
      if (cmp < 0) {
        low = mid + 1;
      } else if (cmp > 0) {
        high = mid - 1;
      } else if (hasLineFeed(name, from, to)) {
        return -(mid + 1) - 1; // it ran over the end of a line, and what matched is no name
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
  private static int compare(byte[] bytes, int line, byte[] name, int from, int to) {
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
    byte[] bytes = prefix.getBytes(UTF_8);
    int from = ceiling(bytes);
    if (hasLineFeed(bytes, 0, bytes.length)) {
      return new Range(from, from); // it would run over the end of a line
    }
    int low = from;
    int high = size();
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (startsWith(mid, bytes)) {
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
    byte[] bytes = parts[partOf(index)].bytes();
    int at = lines[index] + HEX + 1;
    return prefix.length < bytes.length - at
        && Arrays.mismatch(bytes, at, at + prefix.length, prefix, 0, prefix.length) < 0;
  }

  public String name(int index) {
    int part = partOf(index);
    int at = lines[index] + HEX + 1;
    return new String(parts[part].bytes(), at, nameEnd(part, index) - at, UTF_8);
  }

  private int nameEnd(int part, int index) {
    int end = end(part, index);
    boolean tag = isPeeled(parts[part].bytes(), lines[index] + HEX + 1, end);
    return (tag ? end - PEELED : end) - 1;
  }

  /** Adds a ref to the changes that these refs are, of which a mark is a deletion. */
  void addTo(RefDelta.Builder changes, int index) {
    int part = partOf(index);
    int at = lines[index] + HEX + 1;
    changes.add(
        parts[part].bytes(),
        at,
        nameEnd(part, index),
        isMark(index) ? RefValue.DELETED : value(index));
  }

  /**
   * Value of a ref.
   *
   * @param index index of the ref
   * @return its value
   */
  public RefValue.Direct value(int index) {
    int part = partOf(index);
    byte[] bytes = parts[part].bytes();
    int at = lines[index];
    int end = end(part, index);
    return new RefValue.Direct(
        ObjectId.fromString(bytes, at),
        isPeeled(bytes, at + HEX + 1, end)
            ? Optional.of(ObjectId.fromString(bytes, end - HEX - 1))
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
    int part = partOf(index);
    byte[] bytes = parts[part].bytes();
    int at = lines[index];
    int end = end(part, index);
    ObjectId id = ObjectId.fromString(bytes, at);
    return isPeeled(bytes, at + HEX + 1, end)
        ? new ObjectIdRef.PeeledTag(
            Ref.Storage.PACKED, name, id, ObjectId.fromString(bytes, end - HEX - 1))
        : new ObjectIdRef.PeeledNonTag(Ref.Storage.PACKED, name, id);
  }

  /** Tests whether the lines of a ref, which end at {@code end}, include one of a peeled value. */
  private static boolean isPeeled(byte[] bytes, int name, int end) {
    return end - PEELED > name && bytes[end - PEELED] == '^' && bytes[end - PEELED - 1] == '\n';
  }

  /** Tests whether a ref points to an annotated tag, so that the table has its peeled id. */
  boolean isTag(int index) {
    int part = partOf(index);
    return isPeeled(parts[part].bytes(), lines[index] + HEX + 1, end(part, index));
  }

  /** First digits of the id of a ref, as a number that is only compared for equality. */
  long idPrefix(int index) {
    return prefix(parts[partOf(index)].bytes(), lines[index]);
  }

  /** First digits of the peeled id of a tag, as {@link #idPrefix}. */
  long peeledPrefix(int index) {
    int part = partOf(index);
    return prefix(parts[part].bytes(), end(part, index) - HEX - 1);
  }

  static long prefix(byte[] hex, int at) {
    return (long) LONG.get(hex, at);
  }

  /** Tests whether a ref has an id, given in hex. */
  boolean hasId(int index, byte[] hex) {
    int at = lines[index];
    return Arrays.equals(parts[partOf(index)].bytes(), at, at + HEX, hex, 0, HEX);
  }

  /** Tests whether a tag peels to an id, given in hex. */
  boolean peelsTo(int index, byte[] hex) {
    int part = partOf(index);
    int at = end(part, index) - HEX - 1;
    return Arrays.equals(parts[part].bytes(), at, at + HEX, hex, 0, HEX);
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

  /**
   * Builds a table from lines that are known to follow the format. Used by one thread.
   *
   * <p>Begins with the header; whole refs are added in order.
   */
  public static final class Builder {
    private final int limit;
    private final long size;
    private final int[] lines;
    private final List<Part> full = new ArrayList<>();
    private byte[] bytes = new byte[0];
    private int filled;

    /** Index of the first ref of the part that is being filled. */
    private int first;

    /** Bytes of the parts that are full. */
    private long before;

    private int n;

    /**
     * Begins a table.
     *
     * @param size bytes it will have, header included
     * @param count refs it will have
     */
    public Builder(long size, long count) {
      this(size, count, PART);
    }

    /**
     * Begins a table.
     *
     * @param size bytes it will have, header included
     * @param count refs it will have
     * @param limit most bytes of a part, unless one ref has more
     */
    public Builder(long size, long count, int limit) {
      this.limit = limit;
      this.size = size;
      this.lines = new int[Math.toIntExact(count)];
      byte[] header = HEADER.getBytes(US_ASCII);
      reserve(header.length);
      copy(header, 0, header.length);
    }

    /** Adds a changed ref that was not deleted. */
    void append(RefDelta changes, int i) {
      RefNames names = changes.names();
      reserve(PackedRefsLine.length(names.length(i), changes.peeled(i)));
      add(filled);
      filled = PackedRefsLine.write(names, i, changes.id(i), changes.peeled(i), bytes, filled);
    }

    /**
     * Copies refs of another table without parsing them.
     *
     * @param table the table
     * @param from index of the first ref
     * @param to index after the last one
     */
    public void append(PackedRefsTable table, int from, int to) {
      for (int i = from; i < to; ) {
        int part = table.partOf(i);
        int next = Math.min(to, table.last(part));
        append(table, part, i, next);
        i = next;
      }
    }

    private void append(PackedRefsTable table, int part, int from, int to) {
      for (int i = from; i < to; ) {
        reserve(table.end(part, i) - table.lines[i]);
        int next = fitting(table, part, i, to);
        int start = table.lines[i];
        int shift = filled - start;
        for (int k = i; k < next; k++) {
          add(table.lines[k] + shift);
        }
        copy(table.parts[part].bytes(), start, table.end(part, next - 1) - start);
        i = next;
      }
    }

    /** Finds the index after the last ref that fits in the part; the first one does fit. */
    private int fitting(PackedRefsTable table, int part, int from, int to) {
      long most = (long) table.lines[from] + bytes.length - filled;
      int low = from;
      int high = to - 1;
      while (low < high) {
        int mid = (low + high + 1) >>> 1;
        if (table.end(part, mid) <= most) {
          low = mid;
        } else {
          high = mid - 1;
        }
      }
      return low + 1;
    }

    /** Makes room for a ref, in another part if this one has none. */
    private void reserve(int length) {
      if (length <= bytes.length - filled) {
        return;
      }
      if (filled > 0) {
        full.add(new Part(bytes, filled, first));
        before += filled;
      }
      long rest = size - before;
      if (length > rest) {
        throw new IllegalStateException("more than " + size + " bytes of refs");
      }
      bytes = new byte[(int) Math.min(rest, Math.max(limit, length))];
      filled = 0;
      first = n;
    }

    private void add(int line) {
      if (n == lines.length) {
        throw new IllegalStateException("more than " + n + " refs");
      }
      lines[n++] = line;
    }

    private void copy(byte[] src, int offset, int length) {
      System.arraycopy(src, offset, bytes, filled, length);
      filled += length;
    }

    /**
     * Completes the table.
     *
     * @return the table
     * @throws IllegalStateException if size or count are not as promised
     */
    public PackedRefsTable build() {
      if (before + filled != size || n != lines.length) {
        throw new IllegalStateException(
            String.format("%d of %d bytes, %d of %d refs", before + filled, size, n, lines.length));
      }
      full.add(new Part(bytes, filled, first));
      return new PackedRefsTable(full, lines);
    }
  }
}

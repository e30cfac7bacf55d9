// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.manifest.RefValue;

/**
 * All refs that are stored in tables, numbered from 0 in the order of packed-refs: those of a
 * recent table, and those of a base that the recent table does not replace. Refs are neither copied
 * nor parsed.
 *
 * <p>The recent table is empty in most repositories. For each of its refs this knows the position
 * in the base; a search of the recent table thus leaves few refs of the base to search, and the two
 * take about as many steps as one would in a table of all refs. Immutable.
 */
public final class RefTable {
  /** The table without refs. */
  public static final RefTable EMPTY = new RefTable(PackedRefsTable.EMPTY);

  /** The tables that this was made of, the base first. */
  private final List<PackedRefsTable> levels;

  private final PackedRefsTable base;
  private final PackedRefsTable recent;

  /** Position of each recent ref in the base, as returned by {@link PackedRefsTable#find}. */
  private final int[] found;

  /**
   * For each recent ref: the number here minus the index in the base, of the refs of the base
   * between it and the next recent ref.
   */
  private final int[] shifts;

  /**
   * All refs of one table.
   *
   * @param base the table, without marks
   */
  public RefTable(PackedRefsTable base) {
    this(List.of(base), base, PackedRefsTable.EMPTY);
  }

  /**
   * All refs of two tables.
   *
   * @param base the table below, without marks
   * @param recent refs that differ from it, with marks for those that were deleted
   */
  public RefTable(PackedRefsTable base, PackedRefsTable recent) {
    this(List.of(base, recent), base, recent);
  }

  private RefTable(List<PackedRefsTable> levels, PackedRefsTable base, PackedRefsTable recent) {
    this.levels = levels;
    this.base = base;
    this.recent = recent;
    this.found = new int[recent.size()];
    this.shifts = new int[recent.size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = base.findFrom(recent, i, after(i));
      shifts[i] = shift(i) + (recent.isMark(i) ? 0 : 1) - (found[i] >= 0 ? 1 : 0);
    }
  }

  /**
   * Creates the table of some levels. Merges those above the base into one.
   *
   * @param levels the base first, then tables of refs that differ from those before
   * @return all their refs
   * @throws IOException if the merged ones are more than a table can have
   */
  public static RefTable of(List<PackedRefsTable> levels) throws IOException {
    if (levels.isEmpty()) {
      return EMPTY;
    }
    PackedRefsTable recent = levels.size() < 2 ? PackedRefsTable.EMPTY : levels.get(1);
    for (PackedRefsTable later : levels.subList(Math.min(2, levels.size()), levels.size())) {
      recent = new SnapshotMerge(recent, RefDelta.of(later).marked()).build();
    }
    return new RefTable(List.copyOf(levels), levels.get(0), recent);
  }

  /**
   * One of the tables.
   *
   * @param index its index in the list of {@link #of}
   * @return the table
   */
  public PackedRefsTable level(int index) {
    return index < levels.size() ? levels.get(index) : PackedRefsTable.EMPTY;
  }

  /** Tests whether this was made of some tables, which are compared by identity. */
  public boolean isOf(List<PackedRefsTable> tables) {
    boolean same = levels.size() == tables.size();
    for (int i = 0; same && i < levels.size(); i++) {
      same = levels.get(i) == tables.get(i);
    }
    return same;
  }

  /** The table with all refs but the recent ones. */
  PackedRefsTable base() {
    return base;
  }

  /** The table of refs that differ from the base; empty if there is none. */
  PackedRefsTable recent() {
    return recent;
  }

  /** Index in the base of the ref that a recent ref replaces, or else is to be put before. */
  private int position(int i) {
    return found[i] >= 0 ? found[i] : -(found[i] + 1);
  }

  /** Index in the base of the first ref after the first so many recent refs. */
  private int after(int count) {
    return count == 0 ? 0 : position(count - 1) + (found[count - 1] >= 0 ? 1 : 0);
  }

  /** Number of a ref of the base less its index there, after the first so many recent refs. */
  private int shift(int count) {
    return count == 0 ? 0 : shifts[count - 1];
  }

  /** Number of a recent ref; if it is a mark, of the ref after it. */
  private int number(int i) {
    return position(i) + shift(i);
  }

  private boolean isMark(int i) {
    return shifts[i] - shift(i) + (found[i] >= 0 ? 1 : 0) == 0;
  }

  public int size() {
    return base.size() + shift(recent.size());
  }

  /**
   * Memory of the tables; grows when {@link #anyTip} is first called.
   *
   * @return bytes of their arrays
   */
  public long bytes() {
    long bytes = 2L * Integer.BYTES * found.length;
    for (PackedRefsTable level : levels) {
      bytes += level.bytes();
    }
    return levels.size() <= 2 ? bytes : bytes + recent.bytes();
  }

  /**
   * Finds a ref.
   *
   * @param name its full name
   * @return its number, or {@code -(insertion point) - 1}
   */
  public int find(String name) {
    return find(name.getBytes(UTF_8));
  }

  /**
   * Finds a ref.
   *
   * @param name UTF-8 bytes of its name
   * @return its number, or {@code -(insertion point) - 1}
   */
  public int find(byte[] name) {
    int i = recent.find(name);
    if (i >= 0) {
      return isMark(i) ? -(number(i) + 1) : number(i);
    }
    int count = -(i + 1);
    int last = count < found.length ? position(count) : base.size();
    int at = base.find(name, 0, name.length, after(count), last);
    return at >= 0 ? at + shift(count) : at - shift(count);
  }

  /**
   * First ref at or after a name.
   *
   * @param name UTF-8 bytes
   * @return number from 0 to {@link #size}
   */
  public int ceiling(byte[] name) {
    int i = find(name);
    return i < 0 ? -(i + 1) : i;
  }

  /**
   * The refs whose names begin with a prefix.
   *
   * @param prefix the prefix; empty for all refs
   * @return their numbers
   */
  public PackedRefsTable.Range range(String prefix) {
    PackedRefsTable.Range above = recent.range(prefix);
    PackedRefsTable.Range below = base.range(prefix);
    return new PackedRefsTable.Range(
        below.from() + shift(above.from()), below.to() + shift(above.to()));
  }

  /**
   * Finds where a ref is.
   *
   * @param number its number
   * @return its index in the recent table, or {@code -(index in the base) - 1}
   */
  private int locate(int number) {
    int count = countBefore(number + 1);
    if (count > 0 && !isMark(count - 1) && number(count - 1) == number) {
      return count - 1;
    }
    return -(number - shift(count) + 1);
  }

  /** Counts the recent refs whose numbers are below one. */
  private int countBefore(int number) {
    int low = 0;
    int high = found.length;
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (number(mid) < number) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }

  private PackedRefsTable tableOf(int located) {
    return located >= 0 ? recent : base;
  }

  private static int index(int located) {
    return located >= 0 ? located : -(located + 1);
  }

  /**
   * Tests whether a ref's name begins with a prefix.
   *
   * @param number number of the ref
   * @param prefix UTF-8 bytes
   * @return true if it does
   */
  public boolean startsWith(int number, byte[] prefix) {
    int at = locate(number);
    return tableOf(at).startsWith(index(at), prefix);
  }

  public String name(int number) {
    int at = locate(number);
    return tableOf(at).name(index(at));
  }

  /**
   * Value of a ref.
   *
   * @param name its full name
   * @return its value; empty if there is no such ref
   */
  public Optional<RefValue.Direct> value(String name) {
    int number = find(name);
    return number < 0 ? Optional.empty() : Optional.of(value(number));
  }

  private RefValue.Direct value(int number) {
    int at = locate(number);
    return tableOf(at).value(index(at));
  }

  /**
   * Creates the ref.
   *
   * @param number number of the ref
   * @param name its name, which saves decoding it
   * @return the ref, with its peeled value
   */
  public Ref ref(int number, String name) {
    int at = locate(number);
    return tableOf(at).ref(index(at), name);
  }

  /**
   * Refs that follow each other in one of the tables, none of them a mark.
   *
   * @param table the table
   * @param from index of the first ref in it
   * @param to index after the last one
   */
  public record Slice(PackedRefsTable table, int from, int to) {
    /**
     * Passes on the refs one by one, without creating an object for any.
     *
     * @param out receives them
     * @throws IOException if {@code out} fails
     */
    public void forEach(RefLineSink out) throws IOException {
      table.forEach(from, to, out);
    }
  }

  /**
   * Merges the tables. Every listing of refs uses this.
   *
   * @param from number of the first ref
   * @param to number after the last one
   * @return the refs in order, found as they are asked for
   */
  public Iterator<Slice> slices(int from, int to) {
    return new Slices(from, to);
  }

  private final class Slices implements Iterator<Slice> {
    private final int to;
    private int number;

    /** Recent refs that are behind. */
    private int count;

    Slices(int from, int to) {
      this.number = from;
      this.to = to;
      this.count = countBefore(from);
    }

    @Override
    public boolean hasNext() {
      return number < to;
    }

    @Override
    public Slice next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      while (count < found.length && number(count) == number) {
        int i = count++;
        if (!isMark(i)) {
          number++;
          return new Slice(recent, i, i + 1);
        }
      }
      int start = number - shift(count);
      number = count < found.length ? Math.min(to, number(count)) : to;
      return new Slice(base, start, number - shift(count));
    }
  }

  /**
   * Looks for a ref of an object, by indexes that are built when they are first needed.
   *
   * @param id the object
   * @param wanted tests the number of a ref that points to the object or a tag of it; called twice
   *     if both
   * @return true as soon as one is wanted
   */
  public boolean anyTip(AnyObjectId id, IntPredicate wanted) {
    return recent.anyTip(id, i -> !isMark(i) && wanted.test(number(i)))
        || base.anyTip(
            id,
            index -> {
              int count = countUpTo(index);
              boolean replaced = count > 0 && found[count - 1] == index;
              return !replaced && wanted.test(index + shift(count));
            });
  }

  /** Counts the recent refs that replace a ref of the base or are before it. */
  private int countUpTo(int index) {
    int low = 0;
    int high = found.length;
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (position(mid) <= index) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }
}

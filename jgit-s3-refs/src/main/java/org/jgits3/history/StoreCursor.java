// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.history.HistoryUnavailableException.Reason;
import org.jgits3.internal.fleet.IdTable;
import org.jgits3.internal.fleet.TableFormat;
import org.jgits3.manifest.RepositoryName;

/**
 * Position up to which a follower has read the histories of all repositories of a store. The
 * follower stores it, in the form of {@link #toBytes}, once everything derived from those histories
 * is durable. A crash in between then repeats changes; if the cursor were saved first, a crash
 * would lose them.
 *
 * <p>For each repository it has the id, the name, the generation and 16 bytes that stand for the
 * version of the manifest. Immutable.
 */
public final class StoreCursor {
  private static final TableFormat FORMAT = new TableFormat("cursor", '1');

  /** Bytes that the smallest cursor has room for. */
  private static final int LEAST = 1 << 10;

  /** Bytes that stand for a version of a manifest. */
  static final int DIGEST_BYTES = 16;

  /** Version, generation. */
  static final int VALUE_BYTES = DIGEST_BYTES + Long.BYTES;

  private static final long INDEX = 0xffff_ffffL;

  private final String location;
  private final IdTable table;

  /** Name of each repository, in the order of the table; empty for one without. */
  private final List<String> names;

  /** Hash of each name, then the index of its repository; sorted. Made when it is needed first. */
  @Nullable private long[] byName;

  private StoreCursor(String location, IdTable table, List<String> names) {
    this.location = location;
    this.table = table;
    this.names = names;
  }

  /** Cursor before everything. */
  static StoreCursor start(String location) {
    return new StoreCursor(location, IdTable.empty(VALUE_BYTES), List.of());
  }

  /**
   * Record of a repository.
   *
   * @param digest stands for the version of its manifest
   * @param generation generation up to which its transactions were read; 0 if it was not reported
   *     because an import was making it
   * @param name its name; empty if it has none yet
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by hand
  record Entry(byte[] digest, long generation, String name) {
    boolean isSame(Entry other) {
      return generation == other.generation
          && name.equals(other.name)
          && Arrays.equals(digest, other.digest);
    }

    boolean reported() {
      return generation > 0;
    }

    byte[] value() {
      return ByteBuffer.allocate(VALUE_BYTES).put(digest).putLong(generation).array();
    }
  }

  IdTable table() {
    return table;
  }

  private Entry entry(int i) {
    byte[] array = table.array();
    int at = table.value(i);
    return new Entry(Arrays.copyOfRange(array, at, at + DIGEST_BYTES), generation(i), names.get(i));
  }

  private long generation(int i) {
    return ByteBuffer.wrap(table.array()).getLong(table.value(i) + DIGEST_BYTES);
  }

  Optional<Entry> entry(String repositoryId) {
    int i = table.find(repositoryId);
    return i < 0 ? Optional.empty() : Optional.of(entry(i));
  }

  /** Id of the repository that has a name. */
  Optional<String> holder(String name) {
    long[] index = byName();
    long first = (long) name.hashCode() << Integer.SIZE;
    int at = Arrays.binarySearch(index, first);
    return Arrays.stream(index, at < 0 ? -at - 1 : at, index.length)
        .takeWhile(each -> (each & ~INDEX) == first)
        .mapToInt(each -> (int) each)
        .filter(i -> names.get(i).equals(name))
        .mapToObj(table::id)
        .findFirst();
  }

  private synchronized long[] byName() {
    if (byName == null) {
      byName =
          IntStream.range(0, names.size())
              .mapToLong(i -> ((long) names.get(i).hashCode() << Integer.SIZE) | i)
              .sorted()
              .toArray();
    }
    return byName;
  }

  /** Tests whether the version of a record is the one that some bytes stand for. */
  boolean hasDigest(int i, byte[] digest) {
    int at = table.value(i);
    return Arrays.equals(table.array(), at, at + DIGEST_BYTES, digest, 0, DIGEST_BYTES);
  }

  /** This cursor with other entries, or none, of some repositories. */
  StoreCursor with(SortedMap<String, Optional<Entry>> updates) {
    if (updates.isEmpty()) {
      return this;
    }
    IdTable.Builder next = new IdTable.Builder(table.size() + updates.size(), VALUE_BYTES);
    List<String> nextNames = new ArrayList<>(table.size() + updates.size());
    int i = 0;
    for (var update : updates.entrySet()) {
      for (; i < table.size() && table.id(i).compareTo(update.getKey()) < 0; i++) {
        next.add(table, i);
        nextNames.add(names.get(i));
      }
      if (i < table.size() && table.id(i).equals(update.getKey())) {
        i++;
      }
      update
          .getValue()
          .ifPresent(
              entry -> {
                next.add(update.getKey(), entry.value());
                nextNames.add(entry.name());
              });
    }
    for (; i < table.size(); i++) {
      next.add(table, i);
      nextNames.add(names.get(i));
    }
    return new StoreCursor(location, next.build(), nextNames);
  }

  /**
   * The store that this is a cursor of.
   *
   * @return its location, as an administrator writes it
   */
  public String location() {
    return location;
  }

  /**
   * Position in the history of one repository.
   *
   * @param name name of the repository
   * @return its position; empty if the cursor knows of none by that name
   * @throws IllegalArgumentException if the name is not allowed
   */
  public Optional<LogPosition> position(String name) {
    return holder(RepositoryName.of(name).value())
        .map(id -> new LogPosition(id, generation(table.find(id))));
  }

  /**
   * Visits all repositories that the cursor knows of, without a request.
   *
   * @param each receives name and position of each, in no particular order
   */
  public void forEach(BiConsumer<String, LogPosition> each) {
    for (int i = 0; i < table.size(); i++) {
      if (!names.get(i).isEmpty()) {
        each.accept(names.get(i), new LogPosition(table.id(i), generation(i)));
      }
    }
  }

  /**
   * The stored form: its version, the location of the store, the repositories, and a checksum.
   * Compressed.
   *
   * @return the bytes, for {@link #parse}
   */
  public byte[] toBytes() {
    return FORMAT.encode(
        table.length() + LEAST,
        out -> {
          out.writeUTF(location);
          table.write(out);
          for (String name : names) {
            out.writeUTF(name);
          }
        });
  }

  /**
   * Reads the stored form.
   *
   * @param bytes what {@link #toBytes} gave
   * @return the cursor
   * @throws HistoryUnavailableException if the bytes are no cursor, damaged, or of another version
   */
  public static StoreCursor parse(byte[] bytes) throws HistoryUnavailableException {
    try {
      return FORMAT.decode(
          bytes,
          (in, most) -> {
            String location = in.readUTF();
            IdTable table = IdTable.read(in, VALUE_BYTES, most);
            List<String> names = new ArrayList<>(table.size());
            for (int i = 0; i < table.size(); i++) {
              names.add(checked(in.readUTF()));
            }
            return new StoreCursor(location, table, names);
          });
    } catch (StreamCorruptedException e) {
      throw new HistoryUnavailableException(
          Reason.UNREADABLE_CURSOR, "the cursor " + e.getMessage() + "; begin anew");
    }
  }

  /** A name of a repository, or the empty text for none. */
  private static String checked(String name) throws StreamCorruptedException {
    try {
      return name.isEmpty() ? name : new RepositoryName(name).value();
    } catch (IllegalArgumentException e) {
      throw new StreamCorruptedException("is damaged: " + e.getMessage());
    }
  }
}

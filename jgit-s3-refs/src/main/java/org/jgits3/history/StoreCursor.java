// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import org.jgits3.history.HistoryUnavailableException.Reason;
import org.jgits3.internal.fleet.NameTable;
import org.jgits3.internal.fleet.TableFormat;
import org.jgits3.manifest.RepositoryName;

/**
 * Position up to which a follower has read the histories of all repositories of a store. The
 * follower stores it, in the form of {@link #toBytes}, once everything derived from those histories
 * is durable. A crash in between then repeats changes; if the cursor were saved first, a crash
 * would lose them.
 *
 * <p>For each repository it has the name, the id, the generation and 16 bytes that stand for the
 * version of the manifest: with a name of 40 characters, some 90 bytes in memory and some 50
 * stored. Immutable.
 */
public final class StoreCursor {
  private static final TableFormat FORMAT = new TableFormat("cursor", '1');

  /** Bytes that the smallest cursor has room for. */
  private static final int LEAST = 1 << 10;

  /** Bytes that stand for a version of a manifest. */
  static final int DIGEST_BYTES = 16;

  private static final int ID_BYTES = 16;

  /** Version, repository id, generation. */
  static final int VALUE_BYTES = DIGEST_BYTES + ID_BYTES + Long.BYTES;

  private static final NameTable NONE = new NameTable.Builder(0, VALUE_BYTES).build();

  private final String location;
  private final NameTable table;

  StoreCursor(String location, NameTable table) {
    this.location = location;
    this.table = table;
  }

  /** Cursor before everything. */
  static StoreCursor start(String location) {
    return new StoreCursor(location, NONE);
  }

  /**
   * Record of a repository.
   *
   * @param digest stands for the version of its manifest
   * @param repositoryId its id
   * @param generation generation up to which its transactions were read; 0 if it was not reported
   *     because an import was making it
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by hand
  record Entry(byte[] digest, String repositoryId, long generation) {
    boolean isSame(Entry other) {
      return generation == other.generation
          && repositoryId.equals(other.repositoryId)
          && Arrays.equals(digest, other.digest);
    }

    boolean reported() {
      return generation > 0;
    }

    byte[] value() {
      return ByteBuffer.allocate(VALUE_BYTES)
          .put(digest)
          .put(HexFormat.of().parseHex(repositoryId))
          .putLong(generation)
          .array();
    }
  }

  NameTable table() {
    return table;
  }

  Entry entry(int i) {
    byte[] array = table.array();
    int at = table.value(i);
    int id = at + DIGEST_BYTES;
    return new Entry(
        Arrays.copyOfRange(array, at, id),
        HexFormat.of().formatHex(array, id, id + ID_BYTES),
        ByteBuffer.wrap(array).getLong(id + ID_BYTES));
  }

  Optional<Entry> entry(byte[] name) {
    int i = table.find(name);
    return i < 0 ? Optional.empty() : Optional.of(entry(i));
  }

  /** Tests whether the version of a record is the one that some bytes stand for. */
  boolean hasDigest(int i, byte[] digest) {
    int at = table.value(i);
    return Arrays.equals(table.array(), at, at + DIGEST_BYTES, digest, 0, DIGEST_BYTES);
  }

  /** Four bytes of the id in a record, which are random. */
  int idHash(int i) {
    return ByteBuffer.wrap(table.array()).getInt(table.value(i) + DIGEST_BYTES);
  }

  /** This cursor with other entries, or none, of some names in their stored form and order. */
  StoreCursor with(SortedMap<byte[], Optional<Entry>> updates) {
    if (updates.isEmpty()) {
      return this;
    }
    int more =
        updates.keySet().stream().mapToInt(name -> NameTable.length(name, VALUE_BYTES)).sum();
    NameTable.Builder next =
        new NameTable.Builder(Math.addExact(table.length(), more), VALUE_BYTES);
    int i = 0;
    for (var update : updates.entrySet()) {
      byte[] name = update.getKey();
      while (i < table.size() && table.compare(i, name) < 0) {
        next.add(table, i++);
      }
      if (i < table.size() && table.compare(i, name) == 0) {
        i++;
      }
      update.getValue().ifPresent(entry -> next.add(name, entry.value()));
    }
    while (i < table.size()) {
      next.add(table, i++);
    }
    return new StoreCursor(location, next.build());
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
    return entry(NameTable.stored(RepositoryName.of(name).manifestKey()))
        .filter(Entry::reported)
        .map(known -> new LogPosition(known.repositoryId(), known.generation()));
  }

  /**
   * Visits all repositories that the cursor knows of, without a request.
   *
   * @param each receives name and position of each, in no particular order
   */
  public void forEach(BiConsumer<String, LogPosition> each) {
    for (int i = 0; i < table.size(); i++) {
      Entry known = entry(i);
      Optional<RepositoryName> name = table.repository(i);
      if (known.reported() && name.isPresent()) {
        each.accept(name.get().value(), new LogPosition(known.repositoryId(), known.generation()));
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
        table.length() / 2 + LEAST,
        out -> {
          out.writeUTF(location);
          table.write(out);
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
          (in, most) -> new StoreCursor(in.readUTF(), NameTable.read(in, VALUE_BYTES, most)));
    } catch (StreamCorruptedException e) {
      throw new HistoryUnavailableException(
          Reason.UNREADABLE_CURSOR, "the cursor " + e.getMessage() + "; begin anew");
    }
  }
}

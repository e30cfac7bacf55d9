// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.store.StoreException;

/**
 * A {@code packed-refs} file that Git or JGit wrote, read into a table with newer values of some
 * refs. Reads the file twice, in chunks of whole refs; the first pass determines the size of the
 * table. Takes memory only for the table and one chunk. Used by one thread.
 */
public final class PackedRefsFile {
  private static final int CHUNK = 1 << 20;

  private final FileChannel file;
  private final RefDelta newer;
  private final int chunk;
  private long size = PackedRefsTable.HEADER.length();
  private long count;

  private PackedRefsFile(FileChannel file, RefDelta newer, int chunk) {
    this.file = file;
    this.newer = newer;
    this.chunk = chunk;
  }

  /**
   * Reads a file.
   *
   * @param file its path; a file that does not exist has no refs
   * @param newer values that replace those in the file
   * @return all refs; empty if the file is not sorted, or has lines that Git would not write
   * @throws IOException if it cannot be read, or has more refs than a table can have
   */
  public static Optional<PackedRefsTable> read(Path file, RefDelta newer) throws IOException {
    return read(file, newer, CHUNK);
  }

  /** Reads a file in chunks of a given size; a ref that is longer enlarges it. */
  static Optional<PackedRefsTable> read(Path file, RefDelta newer, int chunk) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return Optional.of(new PackedRefsFile(channel, newer, chunk).table(file));
    } catch (NoSuchFileException none) {
      return Optional.of(new SnapshotMerge(PackedRefsTable.EMPTY, newer).build());
    } catch (StoreException.Corrupt other) {
      return Optional.empty();
    }
  }

  private PackedRefsTable table(Path name) throws IOException {
    forEachChunk(
        merge -> {
          size += merge.lineBytes();
          count += merge.count();
        });
    PackedRefsTable.checkSize("refs", size, count);
    SnapshotMerge.Whole all = new SnapshotMerge.Whole((int) size);
    all.writeBytes(PackedRefsTable.HEADER.getBytes(US_ASCII));
    forEachChunk(merge -> merge.writeLines(all));
    if (all.size() != size) {
      throw new IOException(name + ": has changed while it was read; repeat the command");
    }
    return PackedRefsParser.parse("packed-refs", all.array(), count);
  }

  private void forEachChunk(IoConsumer<SnapshotMerge> each) throws IOException {
    file.position(0);
    InputStream in = Channels.newInputStream(file);
    byte[] bytes = new byte[chunk];
    int filled = 0;
    boolean first = true;
    int merged = 0;
    for (boolean end = false; !end; ) {
      filled += in.readNBytes(bytes, filled, bytes.length - filled);
      end = filled < bytes.length;
      int whole = end ? filled : afterLast('\n', bytes, filled);
      int start = first ? afterComment(bytes, whole) : 0;
      PackedRefsTable lines = PackedRefsParser.parse("packed-refs", bytes, start, whole);
      // the last ref belongs to the next chunk, since its peeled value may follow there
      int refs = end ? lines.size() : lines.size() - 1;
      if (refs > 0 || end) {
        int cut = lines.start(refs);
        int to = end ? newer.size() : newer.names().ceiling(lines.nameBytes(refs));
        each.accept(new SnapshotMerge(lines.first(refs), newer.range(merged, to)));
        merged = to;
        filled -= cut;
        first = false;
        System.arraycopy(bytes, cut, bytes, 0, filled);
      } else {
        bytes = Arrays.copyOf(bytes, Math.multiplyExact(2, bytes.length));
      }
    }
  }

  /** Skips the first line if it is a comment: what it says is checked in any case. */
  private static int afterComment(byte[] bytes, int whole) {
    int at = 0;
    if (whole > 0 && bytes[0] == '#') {
      while (at < whole && bytes[at++] != '\n') {}
    }
    return at;
  }

  private static int afterLast(char c, byte[] bytes, int filled) {
    int at = filled;
    while (at > 0 && bytes[at - 1] != c) {
      at--;
    }
    return at;
  }
}

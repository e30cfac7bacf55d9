// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.fleet.ScanBytes;
import org.jgits3.history.StoreCursor;
import org.jgits3.internal.refs.log.BlockCursor;
import org.jgits3.internal.refs.log.BlockFileReader;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.internal.refs.log.LogReader;
import org.jgits3.internal.refs.snapshot.SnapshotReader;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.maintenance.MaintenanceBytes;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.store.Crc32c;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.StoreException;

/**
 * A parser of stored bytes, as a fuzzer calls it: its input is all but the checksums, which are
 * made to match. A parser gives a value that survives being written and read, or an {@link
 * IOException} that names the object.
 */
enum FuzzedParser {
  MANIFEST {
    @Override
    List<byte[]> seeds(StoredSample sample) throws IOException {
      List<byte[]> seeds = new ArrayList<>();
      for (String key : sample.keys()) {
        if (key.endsWith("/manifest")) {
          byte[] bytes = sample.bytes(key);
          seeds.add(Arrays.copyOf(bytes, bytes.length - TRAILER));
        }
      }
      return seeds;
    }

    @Override
    void read(byte[] input) throws IOException {
      Manifest read = ManifestCodec.decode(KEY, sealed(input));
      byte[] written;
      try {
        written = ManifestCodec.encode(read, Integer.MAX_VALUE);
      } catch (IOException e) {
        assertThat(e).as("text that is no Unicode").hasMessageContaining("surrogate");
        return;
      }
      Manifest again = ManifestCodec.decode(KEY, read.repositoryId(), written);
      assertThat(ManifestCodec.encode(again, Integer.MAX_VALUE)).isEqualTo(written);
    }
  },

  /** The pointer of a name, or a free marker. */
  POINTER {
    @Override
    List<byte[]> seeds(StoredSample sample) throws IOException {
      return sample.matching(RepositoryName.PREFIX + ".*").stream()
          .map(bytes -> Arrays.copyOf(bytes, bytes.length - TRAILER))
          .toList();
    }

    @Override
    void read(byte[] input) throws IOException {
      NamePointer read;
      try {
        read = NamePointer.decode(KEY, sealed(input));
      } catch (ManifestException e) {
        assertThat(e).hasMessageStartingWith(KEY + ": ");
        return;
      }
      byte[] written;
      try {
        written = read.encode();
      } catch (IOException e) {
        assertThat(e).as("text that is no Unicode").hasMessageContaining("surrogate");
        return;
      }
      assertThat(NamePointer.decode(KEY, written)).isEqualTo(read);
    }
  },

  /** The only block of a segment of the log. */
  LOG_BLOCK {
    @Override
    List<byte[]> seeds(StoredSample sample) throws IOException {
      return logObjects(sample, "JGS3LOG\1").stream().map(FuzzedParser::firstBlock).toList();
    }

    @Override
    void read(byte[] input) throws IOException {
      readSegment(logObject("JGS3LOG\1", input, index(input)));
    }
  },

  /** The only block of the changes of a large transaction. */
  LOG_CHANGES {
    @Override
    List<byte[]> seeds(StoredSample sample) throws IOException {
      return logObjects(sample, "JGS3CHG\1").stream().map(FuzzedParser::firstBlock).toList();
    }

    @Override
    void read(byte[] input) throws IOException {
      readChanges(logObject("JGS3CHG\1", input, index(input)));
    }
  },

  /** The length of an index of a log object as two bytes, the blocks, and the index. */
  LOG_INDEX {
    @Override
    List<byte[]> seeds(StoredSample sample) throws IOException {
      List<byte[]> seeds = new ArrayList<>();
      for (byte[] file : logObjects(sample, "JGS3")) {
        int index = ByteBuffer.wrap(file).getInt(file.length - 8);
        if (file.length < SHORT) {
          seeds.add(
              ByteBuffer.allocate(2 + file.length - 16)
                  .putShort((short) index)
                  .put(file, 8, file.length - 16)
                  .array());
        }
      }
      return seeds;
    }

    @Override
    void read(byte[] input) throws IOException {
      int blocks = Math.max(0, input.length - 2);
      int index = input.length < 2 ? 0 : Math.min(blocks, u16(input));
      blocks -= index;
      byte[] body = Arrays.copyOfRange(input, input.length - index, input.length);
      byte[] before =
          Arrays.copyOfRange(input, input.length - index - blocks, input.length - index);
      readSegment(logObject("JGS3LOG\1", before, body));
      readChanges(logObject("JGS3CHG\1", before, body));
    }
  },

  /** A snapshot. */
  SNAPSHOT {
    @Override
    List<byte[]> seeds(StoredSample sample) throws IOException {
      return sample.matching(".*/refs/[^.]*").stream()
          .map(bytes -> Arrays.copyOf(bytes, lines(bytes, SHORT)))
          .toList();
    }

    @Override
    void read(byte[] input) throws IOException {
      long count = text(input).lines().filter(line -> !line.matches("[#^].*")).count();
      whole(input, count).ifPresent(table -> assertThat(table).isEqualTo(input));
    }

    private Optional<byte[]> whole(byte[] bytes, long count) throws IOException {
      MemoryObjectStore store = new MemoryObjectStore();
      store.put(KEY, bytes, 0, bytes.length);
      RefSnapshot snapshot = new RefSnapshot(ID, bytes.length, count, Crc32c.of(bytes), "");
      try {
        return Optional.of(
            written(
                new SnapshotReader(store, true, RangeReader.Sizes.DEFAULT).read(KEY, snapshot)));
      } catch (StoreException.Corrupt e) {
        assertThat(e).hasMessageContaining(KEY);
        return Optional.empty();
      }
    }
  },

  SWEEP_MARK {
    @Override
    List<byte[]> seeds(StoredSample sample) throws IOException {
      return sample.matching(".*/sweep/[^e].*").stream()
          .map(bytes -> Arrays.copyOf(bytes, text(bytes).lastIndexOf('\n')))
          .toList();
    }

    @Override
    void read(byte[] input) {
      MaintenanceBytes.mark(input);
    }
  },

  LEASE {
    @Override
    List<byte[]> seeds(StoredSample sample) {
      return List.of(
          "2026-01-01T00:00:00Z 0123456789abcdef 7".getBytes(US_ASCII),
          "+1000000000-12-31T23:59:59.999999999Z x".getBytes(US_ASCII));
    }

    @Override
    void read(byte[] input) throws IOException {
      MaintenanceBytes.lease(input);
    }
  },

  /** A cursor of a follower, not compressed. */
  CURSOR {
    @Override
    List<byte[]> seeds(StoredSample sample) throws Exception {
      byte[] bytes = sample.cursor();
      ByteArrayInputStream compressed =
          new ByteArrayInputStream(bytes, CURSOR_HEAD.length, bytes.length);
      return List.of(new InflaterInputStream(compressed).readAllBytes());
    }

    @Override
    void read(byte[] input) throws IOException {
      StoreCursor read;
      try {
        read = StoreCursor.parse(compressed(CURSOR_HEAD, input));
      } catch (IOException e) {
        assertThat(e).hasMessageStartingWith("the cursor ");
        return;
      }
      read.forEach((name, position) -> assertThat(read.position(name)).isPresent());
      assertThat(StoreCursor.parse(read.toBytes()).toBytes()).isEqualTo(read.toBytes());
    }
  },

  /** The state of a pass over all repositories, not compressed. */
  SCAN_STATE {
    @Override
    List<byte[]> seeds(StoredSample sample) throws IOException {
      return List.of(ScanBytes.scan("memory:", "gc", "settings", REPOSITORY, "f".repeat(32)));
    }

    @Override
    void read(byte[] input) throws IOException {
      ScanBytes.scan(compressed("jgit-s3 scan state 1\n".getBytes(US_ASCII), input));
    }
  },

  /** A key in a listing. */
  KEYS {
    @Override
    List<byte[]> seeds(StoredSample sample) throws IOException {
      return sample.keys().stream().map(key -> key.getBytes(UTF_8)).toList();
    }

    @Override
    void read(byte[] input) {
      String key = new String(input, UTF_8);
      RepositoryName.fromPointerKey(key)
          .ifPresent(name -> assertThat(name.pointerKey()).isEqualTo(key));
      ObjectNames.repositoryIdOfManifest(key)
          .ifPresent(id -> assertThat(ObjectNames.manifestKey(id)).isEqualTo(key));
      ObjectNames.repositoryIdIn(key)
          .ifPresent(id -> assertThat(key).startsWith(ObjectNames.prefix(id)));
      ObjectNames.mintedAtOf(key);
    }
  };

  /** Key of the object in messages. */
  static final String KEY = "some/key";

  /** Bytes of a seed that is short enough to be changed often. */
  private static final int SHORT = 2000;

  private static final String ID = "00000000002a-0123456789abcdef0123";
  private static final String REPOSITORY = "0123456789abcdef0123456789abcdef";

  private static final Manifest LISTING =
      Manifest.first(
              REPOSITORY, new RepositoryState.Deleted(0), 1, RepositorySettings.NONE, Refs.NONE)
          .committed(
              Long.MAX_VALUE,
              new RepositoryState.Deleted(0),
              Collections.emptySortedMap(),
              Long.MAX_VALUE);

  private static final int TRAILER = ",\"crc32c\":\"01234567\"}".length();
  private static final byte[] CURSOR_HEAD = "jgit-s3 cursor 1\n".getBytes(US_ASCII);

  /** Examples of inputs that are read well. */
  abstract List<byte[]> seeds(StoredSample sample) throws Exception;

  /** Reads an input, and fails if it breaks a promise. */
  abstract void read(byte[] input) throws IOException;

  /** The stored form of a manifest with some bytes before its checksum. */
  static byte[] sealed(byte[] content) {
    String crc = HexFormat.of().toHexDigits(Crc32c.of(content));
    return joined(content, (",\"crc32c\":\"" + crc + "\"}").getBytes(US_ASCII));
  }

  private static byte[] compressed(byte[] head, byte[] content) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(head);
    try (DeflaterOutputStream out = new DeflaterOutputStream(file)) {
      out.write(content);
    }
    new DataOutputStream(file).writeInt(Crc32c.of(file.toByteArray()));
    return file.toByteArray();
  }

  private static byte[] written(PackedRefsTable table) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    table.writeTo(out::write);
    return out.toByteArray();
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] joined = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, joined, first.length, second.length);
    return joined;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }

  private static int u16(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getShort() & 0xffff;
  }

  /** End of the last line within some bytes. */
  private static int lines(byte[] bytes, int most) {
    return text(bytes).lastIndexOf('\n', most) + 1;
  }

  private static List<byte[]> logObjects(StoredSample sample, String magic) throws IOException {
    return sample.matching(".*/log/.*").stream()
        .filter(bytes -> text(bytes).startsWith(magic))
        .toList();
  }

  /** The beginning of the blocks of a log object. */
  private static byte[] firstBlock(byte[] file) {
    int index = ByteBuffer.wrap(file).getInt(file.length - 8);
    return Arrays.copyOfRange(file, 8, Math.min(SHORT, file.length - 8 - index));
  }

  private static byte[] index(byte[] block) {
    ByteArrayOutputStream index = new ByteArrayOutputStream();
    number(index, 1);
    number(index, block.length);
    number(index, Integer.toUnsignedLong(Crc32c.of(block)));
    number(index, 0); // generation
    number(index, 0); // length of the first name
    number(index, 0); // refs
    return index.toByteArray();
  }

  private static void number(ByteArrayOutputStream out, long value) {
    long left = value;
    for (; left > 0x7f; left >>>= 7) {
      out.write((int) (left | 0x80));
    }
    out.write((int) left);
  }

  private static byte[] logObject(String magic, byte[] blocks, byte[] index) {
    return ByteBuffer.allocate(8 + blocks.length + index.length + 8)
        .put(magic.getBytes(ISO_8859_1))
        .put(blocks)
        .put(index)
        .putInt(index.length)
        .putInt(Crc32c.of(index))
        .array();
  }

  private interface LogUse {
    void of(LogObjects objects, StoredObject file) throws IOException;
  }

  private static void readLog(byte[] file, LogUse use) throws IOException {
    MemoryObjectStore store = new MemoryObjectStore();
    store.put(ObjectNames.logKey(REPOSITORY, ID), file, 0, file.length);
    try {
      use.of(new LogObjects(store, null), new StoredObject(ID, file.length, Crc32c.of(file)));
    } catch (StoreException.Corrupt e) {
      assertThat(e).hasMessageContaining(ObjectNames.logKey(REPOSITORY, ID));
    }
  }

  private static void readSegment(byte[] file) throws IOException {
    readLog(
        file,
        (objects, stored) -> {
          LogSegment segment = new LogSegment(stored, 1, 2, 1, 100);
          TransactionLog log = new TransactionLog(List.of(segment), List.of());
          Manifest manifest = LISTING.withLog(log);
          new LogReader(objects, manifest)
              .backwards("refs/heads/main", (entry, change) -> Optional.of("refs/heads/main"));
          BlockFileReader reader = objects.open(manifest, segment);
          for (int i = 0; i < reader.index().blocks().size(); i++) {
            BlockCursor block = reader.blockAndOn(i);
            while (!block.atEnd()) {
              reader.readable(block::entry);
            }
          }
        });
  }

  private static void readChanges(byte[] file) throws IOException {
    readLog(
        file,
        (objects, stored) -> {
          LogEntry entry = new LogEntry(1, 1, 0, "n", "e", "m", List.of(), Optional.of(stored));
          objects.forEachChange(
              LISTING, entry, change -> assertThat(change.oldId()).isInstanceOf(ObjectId.class));
        });
  }
}

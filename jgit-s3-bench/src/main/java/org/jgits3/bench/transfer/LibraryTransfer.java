// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UploadOptions;

/**
 * A process that transfers one object with the library, as the other tools do, and says at the end
 * how long that took without its start-up.
 */
final class LibraryTransfer {
  private static final int MEGABYTE = 1 << 20;

  /** Bytes that lie in memory to be sent again and again, or that are received at once. */
  private static final int BLOCK = 256 * MEGABYTE;

  /** Bytes of a range that goes to a file: large, since each request costs processor time. */
  private static final int RANGE = 32 * MEGABYTE;

  private final S3Endpoint endpoint;
  private final Direction direction;
  private final String key;
  private final Path file;
  private final CRC32C crc = new CRC32C();
  private long nanos;

  /** Source or target of the bytes, and the way to move them. */
  enum Mode {
    /** A file, by the library. */
    FILE,
    /** Memory, by the library. */
    MEMORY,
    /** Memory or nowhere, by the SDK's client. */
    RAW
  }

  /**
   * Last output of the process.
   *
   * @param nanos time without start-up
   * @param crc32c checksum of what was sent or received; 0 if that was not kept
   */
  record Report(double nanos, long crc32c) {
    private static final Pattern LINE = Pattern.compile("transferred in (\\d+) ns, CRC32C (\\w+)");

    static Optional<Report> parse(String line) {
      Matcher matcher = LINE.matcher(line);
      return matcher.matches()
          ? Optional.of(
              new Report(
                  Double.parseDouble(matcher.group(1)), Long.parseLong(matcher.group(2), 16)))
          : Optional.empty();
    }
  }

  private LibraryTransfer(S3Endpoint endpoint, Direction direction, String key, Path file) {
    this.endpoint = endpoint;
    this.direction = direction;
    this.key = key;
    this.file = file;
  }

  /**
   * Transfers an object.
   *
   * @param args mode, direction, key, file: the one to be sent, of whose size the object is, or the
   *     one to be written
   */
  public static void main(String[] args) throws Exception {
    S3Endpoint endpoint = S3Endpoint.ofThisJvm().orElseThrow();
    Direction direction = Direction.valueOf(args[1]);
    LibraryTransfer transfer = new LibraryTransfer(endpoint, direction, args[2], Path.of(args[3]));
    transfer.run(Mode.valueOf(args[0]));
    System.out.printf(
        Locale.ROOT,
        "transferred in %d ns, CRC32C %08x%n",
        transfer.nanos,
        transfer.crc.getValue());
  }

  private void run(Mode mode) throws IOException, InterruptedException {
    if (mode == Mode.RAW) {
      raw();
      return;
    }
    byte[] block = mode == Mode.MEMORY ? block() : new byte[0];
    long start = System.nanoTime();
    try (ObjectStore store = LibraryStore.open(endpoint, S3Session.SCRATCH)) {
      switch (direction) {
        case UPLOAD -> upload(store, block);
        case DOWNLOAD -> download(store, block);
      }
      nanos += System.nanoTime() - start;
    }
    if (mode == Mode.MEMORY && direction == Direction.UPLOAD) {
      updateAgain(block, Files.size(file)); // by now nothing is sent any more
    }
  }

  /** Bytes to be sent, or room for those to be received. */
  private byte[] block() throws IOException {
    byte[] block = new byte[BLOCK];
    if (direction == Direction.UPLOAD) {
      try (InputStream in = Files.newInputStream(file)) {
        int n = in.readNBytes(block, 0, BLOCK);
        for (int at = n; at < BLOCK; at += n) {
          System.arraycopy(block, 0, block, at, Math.min(n, BLOCK - at));
        }
      }
    }
    return block;
  }

  private void raw() throws IOException, InterruptedException {
    byte[] block = direction == Direction.UPLOAD ? block() : new byte[0];
    long size = direction == Direction.UPLOAD ? Files.size(file) : 0;
    long start = System.nanoTime();
    try (RawTransfers raw = new RawTransfers(endpoint, endpoint.bucket(S3Session.SCRATCH))) {
      if (direction == Direction.UPLOAD) {
        raw.upload(key, block, size);
      } else {
        raw.download(key);
      }
      nanos = System.nanoTime() - start;
    }
    updateAgain(block, size);
  }

  /** Checksum of a block that was sent again and again. */
  private void updateAgain(byte[] block, long size) {
    for (long at = 0; at < size; at += block.length) {
      crc.update(block, 0, (int) Math.min(block.length, size - at));
    }
  }

  private void upload(ObjectStore store, byte[] block) throws IOException {
    try (PackUploads uploads = new PackUploads(store, UploadOptions.DEFAULT)) {
      PackUpload out = uploads.begin(key);
      try {
        send(out, block);
      } catch (IOException | RuntimeException | Error e) {
        out.fail(e);
        throw e;
      }
      out.close();
    }
  }

  private void send(PackUpload out, byte[] block) throws IOException {
    if (block.length == 0) {
      byte[] chunk = new byte[MEGABYTE];
      try (InputStream in = Files.newInputStream(file)) {
        for (int n; (n = in.read(chunk)) > 0; ) {
          out.write(chunk, 0, n);
        }
      }
    } else {
      long size = Files.size(file);
      for (long at = 0; at < size; at += block.length) {
        int n = (int) Math.min(block.length, size - at);
        out.write(block, 0, n);
      }
    }
  }

  private void download(ObjectStore store, byte[] block) throws IOException {
    long size =
        store.stat(key).orElseThrow(() -> new IOException("there is no object " + key)).size();
    if (block.length == 0) {
      try (FileChannel out =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        downloadTo(out, store, size);
      }
    } else {
      RangeReader reader = new RangeReader(store);
      for (long at = 0; at < size; at += block.length) {
        int n = (int) Math.min(block.length, size - at);
        reader.read(key, at, block, 0, n);
        updateUntimed(block, n);
      }
    }
  }

  /** Ranges at the same time, each of which is written to its place in the file. */
  private void downloadTo(FileChannel out, ObjectStore store, long size) throws IOException {
    List<Long> ranges = LongStream.range(0, (size + RANGE - 1) / RANGE).boxed().toList();
    Queue<byte[]> buffers = new ConcurrentLinkedQueue<>();
    ParallelRequests.forEach(
        ranges,
        range -> {
          byte[] free = buffers.poll();
          byte[] buffer = free == null ? new byte[RANGE] : free;
          long at = range * RANGE;
          int n = (int) Math.min(RANGE, size - at);
          store.read(key, at, buffer, 0, n, Optional.empty());
          write(out, at, buffer, n);
          buffers.add(buffer);
        });
  }

  private static void write(FileChannel out, long at, byte[] src, int length) throws IOException {
    for (int done = 0; done < length; ) {
      int n = Math.min(MEGABYTE, length - done);
      done += out.write(ByteBuffer.wrap(src, done, n), at + done);
    }
  }

  /** Between two reads, when nothing is in flight. */
  private void updateUntimed(byte[] block, int n) {
    long start = System.nanoTime();
    crc.update(block, 0, n);
    nanos -= System.nanoTime() - start;
  }
}

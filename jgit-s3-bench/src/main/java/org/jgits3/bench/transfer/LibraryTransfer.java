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
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UploadOptions;

/** A process that transfers one file with the library, as the other tools do. */
final class LibraryTransfer {
  private static final int MEGABYTE = 1 << 20;

  /** Bytes of a range that goes to a file: large, since each request costs processor time. */
  private static final int RANGE = 32 * MEGABYTE;

  private LibraryTransfer() {}

  /**
   * Transfers an object.
   *
   * @param args direction, key, file: the one to be sent, or the one to be written
   */
  public static void main(String[] args) throws IOException {
    S3Endpoint endpoint = S3Endpoint.ofThisJvm().orElseThrow();
    Path file = Path.of(args[2]);
    try (ObjectStore store = endpoint.store(endpoint.bucket(S3Session.SCRATCH))) {
      switch (Direction.valueOf(args[0])) {
        case UPLOAD -> upload(store, args[1], file);
        case DOWNLOAD -> download(store, args[1], file);
      }
    }
  }

  /** Uploads a file. */
  static void upload(ObjectStore store, String key, Path file) throws IOException {
    try (PackUploads uploads = new PackUploads(store, UploadOptions.DEFAULT)) {
      PackUpload out = uploads.begin(key);
      try (InputStream in = Files.newInputStream(file)) {
        byte[] chunk = new byte[MEGABYTE];
        for (int n; (n = in.read(chunk)) > 0; ) {
          out.write(chunk, 0, n);
        }
      } catch (IOException | RuntimeException | Error e) {
        out.fail(e);
        throw e;
      }
      out.close();
    }
  }

  /** Ranges at the same time, each of which is written to its place in the file. */
  private static void download(ObjectStore store, String key, Path file) throws IOException {
    long size =
        store.stat(key).orElseThrow(() -> new IOException("there is no object " + key)).size();
    List<Long> ranges = LongStream.range(0, (size + RANGE - 1) / RANGE).boxed().toList();
    Queue<byte[]> buffers = new ConcurrentLinkedQueue<>();
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
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
  }

  private static void write(FileChannel out, long at, byte[] src, int length) throws IOException {
    for (int done = 0; done < length; ) {
      int n = Math.min(MEGABYTE, length - done);
      done += out.write(ByteBuffer.wrap(src, done, n), at + done);
    }
  }
}

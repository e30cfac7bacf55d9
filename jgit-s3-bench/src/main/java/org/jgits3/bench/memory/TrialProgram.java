// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.io.IOException;
import java.util.Locale;
import org.jgits3.bench.process.PeakMemory;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.store.ObjectStore;

/**
 * The program whose need of memory is measured: one download or one upload. Ends with {@link #OK}
 * after it has printed what it knows of its memory, with {@link #TOO_SMALL}, or with {@link
 * #FAILED} after it has printed why.
 */
final class TrialProgram {
  static final String GET = "get";
  static final String PUT = "put";

  static final int OK = 0;
  static final int FAILED = 1;

  /** The exit code of a JVM with {@code -XX:+ExitOnOutOfMemoryError}. */
  static final int TOO_SMALL = 3;

  /** Comes before the bytes of memory that the process took at most. */
  static final String PEAK = "peak ";

  private TrialProgram() {}

  /**
   * Does one download or upload.
   *
   * @param args {@link #GET}, name of a {@link Download}, bucket, key, size, CRC32C; or {@link
   *     #PUT}, bytes of a part buffer, number of buffers (0 for what there are by default), bucket,
   *     key, size
   */
  public static void main(String[] args) {
    int code = FAILED;
    try {
      if (args[0].equals(GET)) {
        get(Download.valueOf(args[1]), object(args, 2), Integer.parseInt(args[5]));
      } else {
        put(new Upload("", Integer.parseInt(args[1]), Integer.parseInt(args[2])), object(args, 3));
      }
      PeakMemory.of("self").ifPresent(bytes -> System.out.println(PEAK + bytes));
      code = OK;
    } catch (OutOfMemoryError e) {
      code = TOO_SMALL; // of memory outside of the heap, which does not end the JVM by itself
    } catch (IOException | RuntimeException e) {
      if (causedByMemory(e)) {
        code = TOO_SMALL;
      } else {
        System.out.println(e.getMessage());
      }
    }
    System.out.flush();
    Runtime.getRuntime().halt(code);
  }

  private static RemoteObject object(String[] args, int from) {
    return new RemoteObject(
        S3Endpoint.ofThisJvm().orElseThrow(),
        args[from],
        args[from + 1],
        Long.parseLong(args[from + 2]));
  }

  private static boolean causedByMemory(Throwable e) {
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (at instanceof OutOfMemoryError) {
        return true;
      }
    }
    return false;
  }

  private static void get(Download download, RemoteObject object, int crc32c) throws IOException {
    byte[] bytes = download.land(object);
    int actual = Content.crc32c(bytes);
    if (bytes.length != object.size() || actual != crc32c) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s: %,d bytes with CRC32C %08x instead of %,d with %08x",
              object.key(),
              bytes.length,
              actual,
              object.size(),
              crc32c));
    }
  }

  /** Uploads. */
  static void put(Upload settings, RemoteObject object) throws IOException {
    try (ObjectStore store = object.store();
        PackUploads uploads = new PackUploads(store, settings.options())) {
      upload(uploads.begin(object.key()), new Content(object.size()));
    }
  }

  private static void upload(PackUpload upload, Content content) throws IOException {
    try {
      content.writeTo(upload);
    } catch (IOException | RuntimeException | Error e) {
      upload.fail(e);
      throw e;
    }
    upload.close();
  }
}

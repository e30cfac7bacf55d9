// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsOutputStream;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.store.upload.PackUpload;

/**
 * Writes one file of a pack: keeps it in memory while it fits in the pack's bundle, and streams it
 * to the store once it is too large for that. Used by one thread.
 *
 * <p>JGit closes the pack file even after a failure, and reports the failure only afterwards, by a
 * rollback. Closing the pack file therefore only ends the writing, and {@link #finish} or {@link
 * #abandon} decides whether it exists. JGit closes other files only when they are complete.
 */
public final class PackOutput extends DfsOutputStream {
  private static final int FIRST_BUFFER = 4 << 10;
  private static final int CHUNK = 64 << 10;

  private final S3PackDescription pack;
  private final PackExt ext;
  private final IoSupplier<PackUpload> begin;
  private final Optional<SpillDirectory> readBackIn;
  private final int room;

  /** Bytes written, while they fit in {@link #room}. */
  private byte[] held = new byte[FIRST_BUFFER];

  private int filled;

  /** Upload that takes the bytes once they do not fit any more. */
  private Optional<PackUpload> upload = Optional.empty();

  /** All bytes, uploaded from here in whole parts; empty for a writer that never reads them. */
  private Optional<ReadBack> readBack = Optional.empty();

  private final RangeChecksums.Writer checksums = new RangeChecksums.Writer();
  private boolean closed;

  /** True during a write and after one that failed: bytes may be missing, or counted twice. */
  private boolean broken;

  /**
   * Creates the output of a file.
   *
   * @param pack pack that the file belongs to; takes the file when it is closed
   * @param ext kind of file
   * @param begin begins an upload of the file as an object of its own
   * @param readBackIn directory for bytes to {@link #read}; empty for a writer that never reads
   */
  public PackOutput(
      S3PackDescription pack,
      PackExt ext,
      IoSupplier<PackUpload> begin,
      Optional<SpillDirectory> readBackIn) {
    this.pack = pack;
    this.ext = ext;
    this.begin = begin;
    this.readBackIn = readBackIn;
    this.room = pack.roomInBundle();
  }

  /** Block size from {@link BlockCache#packBlockSize} for the pack file; 0 for other files. */
  @Override
  public int blockSize() {
    return ext == PackExt.PACK ? BlockCache.packBlockSize(DfsBlockCache.getInstance()) : 0;
  }

  @Override
  public void write(byte[] buf, int off, int len) throws IOException {
    if (broken) {
      throw new IOException(pack.getFileName(ext) + ": a write has failed before");
    }
    broken = true;
    if (ext == PackExt.PACK) {
      checksums.update(buf, off, len);
    }
    append(buf, off, len);
    broken = false;
  }

  private void append(byte[] buf, int off, int len) throws IOException {
    if (upload.isPresent()) {
      stream(buf, off, len);
    } else if (len <= room - filled) {
      hold(buf, off, len);
    } else {
      upload = Optional.of(begin.get());
      readBack = readBackIn.map(ReadBack::new);
      stream(held, 0, filled);
      held = null;
      stream(buf, off, len);
    }
  }

  private void hold(byte[] buf, int off, int len) {
    if (filled + len > held.length) {
      int grown = Math.min(room, 2 * held.length);
      held = Arrays.copyOf(held, Math.max(filled + len, grown));
    }
    System.arraycopy(buf, off, held, filled, len);
    filled += len;
  }

  private void stream(byte[] buf, int off, int len) throws IOException {
    PackUpload to = upload.orElseThrow();
    if (readBack.isEmpty()) {
      to.write(buf, off, len);
      return;
    }
    try {
      ReadBack received = readBack.get();
      received.append(buf, off, len);
      while (received.size() - to.count() > to.partSize()) {
        send(received, to, to.count() + to.partSize());
        to.flush();
      }
    } catch (IOException | RuntimeException | Error e) {
      to.fail(e); // JGit might write the same block again, and the pack would have it twice
      throw e;
    }
  }

  /**
   * Uploads received bytes, up to an offset. Called for whole parts only, because an upload that
   * has begun a part holds memory that others wait for, and a client may pause.
   */
  private static void send(ReadBack received, PackUpload to, long end) throws IOException {
    byte[] chunk = new byte[CHUNK];
    while (to.count() < end) {
      int most = (int) Math.min(chunk.length, end - to.count());
      to.write(chunk, 0, received.read(to.count(), ByteBuffer.wrap(chunk, 0, most)));
    }
  }

  @Override
  public int read(long position, ByteBuffer buf) throws IOException {
    if (readBack.isPresent()) {
      return readBack.get().read(position, buf);
    }
    if (upload.isPresent()) {
      throw new IOException(pack.getFileName(ext) + " is not kept for reading while it is written");
    }
    if (position >= filled) {
      return -1;
    }
    int n = (int) Math.min(buf.remaining(), filled - position);
    buf.put(held, (int) position, n);
    return n;
  }

  /** Ends the writing. A streamed file exists afterwards, except the pack file. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (ext == PackExt.PACK) {
      pack.checksums(checksums.end());
    } else if (ext == PackExt.INDEX) {
      appendChecksums();
    }
    if (upload.isEmpty()) {
      pack.hold(ext, Arrays.copyOf(held, filled));
    } else if (ext == PackExt.PACK) {
      pack.ended(this);
    } else {
      finish();
    }
  }

  private void appendChecksums() throws IOException {
    byte[] sums =
        pack.checksums()
            .orElseThrow(
                () -> new IOException("pack " + pack.id() + " has an index before it is whole"));
    append(sums, 0, sums.length);
  }

  /**
   * Completes the upload of a streamed file.
   *
   * @throws IOException if the existence of the file is not certain, or an earlier write failed
   */
  void finish() throws IOException {
    PackUpload whole = upload.orElseThrow();
    if (readBack.isPresent()) {
      try (ReadBack received = readBack.get()) {
        send(received, whole, received.size());
        received.check(whole.crc32c());
      } catch (IOException | RuntimeException | Error e) {
        whole.fail(e); // no caller would end it
        throw e;
      }
    }
    whole.close();
    pack.stored(ext, whole.count(), whole.crc32c());
  }

  /**
   * Abandons the file, which will not exist.
   *
   * @throws IOException if parts may be left in the store, for a sweep to find
   */
  void abandon() throws IOException {
    try {
      upload.orElseThrow().abort();
    } finally {
      if (readBack.isPresent()) {
        readBack.get().close();
      }
    }
  }
}

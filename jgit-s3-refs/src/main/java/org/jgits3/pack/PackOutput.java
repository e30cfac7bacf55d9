// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.dfs.DfsOutputStream;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.jgits3.store.PackUpload;

/**
 * One file of a pack on its way to the store. Used by one thread.
 *
 * <p>JGit closes the pack itself also when it gave up, and says so only afterwards, by a rollback.
 * So closing it ends the writing, and {@link #finish} or {@link #abandon} decides what becomes of
 * it; other files are closed only when they are whole.
 */
final class PackOutput extends DfsOutputStream {
  private final S3PackDescription pack;
  private final PackExt ext;
  private final PackUpload upload;
  private final Optional<ReadBack> readBack;
  private boolean closed;

  /**
   * A file of a pack.
   *
   * @param pack pack that the file belongs to; learns size and checksum when the file is closed
   * @param ext kind of file
   * @param upload where the bytes go
   * @param readBack keeps the bytes for {@link #read}; empty for a writer that never reads
   */
  PackOutput(S3PackDescription pack, PackExt ext, PackUpload upload, Optional<ReadBack> readBack) {
    this.pack = pack;
    this.ext = ext;
    this.upload = upload;
    this.readBack = readBack;
  }

  @Override
  public int blockSize() {
    return ext == PackExt.PACK ? PackChannel.BLOCK_SIZE : 0;
  }

  @Override
  public void write(byte[] buf, int off, int len) throws IOException {
    upload.write(buf, off, len);
    if (readBack.isPresent()) {
      try {
        readBack.get().append(buf, off, len);
      } catch (IOException | RuntimeException | Error e) {
        upload.fail(e); // JGit might write the same block again, and the pack would have it twice
        throw e;
      }
    }
  }

  @Override
  public int read(long position, ByteBuffer buf) throws IOException {
    if (readBack.isEmpty()) {
      throw new IOException(pack.getFileName(ext) + " is not kept for reading while it is written");
    }
    return readBack.get().read(position, buf);
  }

  /** Ends the writing. Makes the file exist, unless it is the pack itself. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (readBack.isPresent()) {
      readBack.get().close();
    }
    if (ext == PackExt.PACK) {
      pack.ended(this);
    } else {
      finish();
    }
  }

  /**
   * Makes the file exist.
   *
   * @throws IOException if it could not be made sure that it exists, or something failed before
   */
  void finish() throws IOException {
    upload.close();
    pack.written(ext, upload.count(), upload.crc32c());
  }

  /**
   * Gives the file up: nothing will exist.
   *
   * @throws IOException if parts may be left in the store, for a sweep to find
   */
  void abandon() throws IOException {
    upload.abort();
  }
}

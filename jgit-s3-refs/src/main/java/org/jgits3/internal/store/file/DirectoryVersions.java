// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.store.ObjectVersion;

/**
 * Versions of the objects of a directory: the hash of their content. Safe for use by many threads.
 */
final class DirectoryVersions {
  /** Largest size of an object that is hashed whenever it is read. */
  static final int HASH_ALWAYS = 64 << 10;

  /**
   * Bytes read at a time to be hashed; also the bytes that a read of an unchanged object allocates.
   */
  private static final int HASH_CHUNK = 16 << 10;

  private final DirectoryLayout layout;

  DirectoryVersions(DirectoryLayout layout) {
    this.layout = layout;
  }

  /** Opens an object for reading; null if there is none, which try-with-resources accepts. */
  FileChannel open(String key) throws IOException {
    Path object = layout.object(key);
    try {
      return Files.readAttributes(object, BasicFileAttributes.class).isRegularFile()
          ? FileChannel.open(object, StandardOpenOption.READ)
          : null;
    } catch (NoSuchFileException e) {
      return null;
    } catch (FileSystemException e) {
      if (layout.isBelowAnObject(object)) {
        return null;
      }
      throw e;
    }
  }

  ObjectVersion of(String key, FileChannel channel) throws IOException {
    long size = channel.size();
    if (size > HASH_ALWAYS) {
      Optional<DirectorySidecar> sidecar = DirectorySidecar.read(layout.sidecar(key));
      if (sidecar.isPresent() && sidecar.get().size() == size) {
        return new ObjectVersion(sidecar.get().sha256());
      }
    }
    return hash(channel);
  }

  static ObjectVersion hash(FileChannel channel) throws IOException {
    long size = channel.size();
    MessageDigest sha256 = Sha256.begin();
    byte[] chunk = new byte[(int) Math.min(HASH_CHUNK, size)];
    for (long at = 0; at < size; at += chunk.length) {
      int n = (int) Math.min(chunk.length, size - at);
      DirectoryFiles.readFully(channel, at, chunk, 0, n);
      sha256.update(chunk, 0, n);
    }
    return of(sha256);
  }

  static ObjectVersion of(MessageDigest sha256) {
    return new ObjectVersion(HexFormat.of().formatHex(sha256.digest()));
  }
}

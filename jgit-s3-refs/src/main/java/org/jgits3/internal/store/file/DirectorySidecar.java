// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jgits3.store.MultipartUpload;

/**
 * Properties of an object, or of an upload that is to become one, apart from its bytes.
 *
 * @param key key of the object
 * @param uploadId upload that made it; empty for a plain write
 * @param size length in bytes; -1 while it is uploaded
 * @param sha256 hash of its bytes in hex; empty while it is uploaded
 * @param metadata user metadata
 */
record DirectorySidecar(
    String key, String uploadId, long size, String sha256, Map<String, String> metadata) {
  private static final String METADATA = "metadata.";

  static DirectorySidecar ofUpload(MultipartUpload upload, Map<String, String> metadata) {
    return new DirectorySidecar(upload.key(), upload.uploadId(), -1, "", Map.copyOf(metadata));
  }

  DirectorySidecar completed(long newSize, String newSha256) {
    return new DirectorySidecar(key, uploadId, newSize, newSha256, metadata);
  }

  /** Reads a file that {@link #write} wrote; empty if there is none. */
  static Optional<DirectorySidecar> read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      properties.load(in);
    } catch (NoSuchFileException e) {
      return Optional.empty(); // another process was faster
    }
    Map<String, String> metadata = new HashMap<>();
    for (String name : properties.stringPropertyNames()) {
      if (name.startsWith(METADATA)) {
        metadata.put(name.substring(METADATA.length()), properties.getProperty(name));
      }
    }
    return Optional.of(
        new DirectorySidecar(
            properties.getProperty("key", ""),
            properties.getProperty("upload", ""),
            Long.parseLong(properties.getProperty("size", "-1")),
            properties.getProperty("sha256", ""),
            Map.copyOf(metadata)));
  }

  /** Writes a new file and waits until it is on the disk. */
  void write(Path file) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("key", key);
    properties.setProperty("upload", uploadId);
    properties.setProperty("size", Long.toString(size));
    properties.setProperty("sha256", sha256);
    metadata.forEach((name, value) -> properties.setProperty(METADATA + name, value));
    StringWriter text = new StringWriter();
    properties.store(text, null);
    byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    DirectoryFiles.write(file, bytes, 0, bytes.length);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.PartBody;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadedPart;

/**
 * Multipart uploads: one directory each, with a file per part and one that describes the future
 * object. As on S3, an upload outlives the process that began it, until it is aborted.
 *
 * <p>Safe for use by many threads.
 */
final class DirectoryUploads {
  private static final String DESCRIPTION = "upload";

  private final DirectoryLayout layout;
  private final DirectoryTemp temp;

  DirectoryUploads(DirectoryLayout layout, DirectoryTemp temp) {
    this.layout = layout;
    this.temp = temp;
  }

  MultipartUpload begin(String key, Map<String, String> metadata) throws IOException {
    MultipartUpload upload = new MultipartUpload(key, DirectoryTemp.randomName(), metadata);
    Path dir = Files.createDirectory(temp.newName());
    DirectorySidecar.ofUpload(upload, metadata).write(dir.resolve(DESCRIPTION));
    DirectoryFiles.move(dir, layout.upload(upload));
    return upload;
  }

  /**
   * Stores a part. Does not force it to the disk, because the completed object is forced as a
   * whole, and an upload cannot be completed once its process has died.
   *
   * @throws NoSuchFileException if the upload is gone
   */
  UploadedPart put(MultipartUpload upload, int number, PartBody body) throws IOException {
    Path dir = layout.upload(upload);
    Path file = temp.newName();
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        InputStream in = body.open()) {
      DirectoryFiles.append(channel, in);
      Files.move(file, part(dir, number), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(file);
    }
    int checksum = body.crc32c();
    return new UploadedPart(number, HexFormat.of().toHexDigits(checksum), body.size(), checksum);
  }

  /**
   * Concatenates the parts in a new file and forces it to the disk.
   *
   * @return sidecar of the object
   * @throws NoSuchFileException if the upload, or a part, is gone
   * @throws StoreException.Corrupt if a part has other bytes than were acknowledged
   */
  DirectorySidecar assemble(MultipartUpload upload, List<UploadedPart> parts, Path file)
      throws IOException {
    Path dir = layout.upload(upload);
    DirectorySidecar description =
        DirectorySidecar.read(dir.resolve(DESCRIPTION))
            .orElseThrow(() -> new NoSuchFileException(dir.toString()));
    MessageDigest sha256 = Sha256.begin();
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (UploadedPart part : parts) {
        append(out, upload, part, part(dir, part.number()), sha256);
      }
      out.force(true);
      return description.completed(out.size(), HexFormat.of().formatHex(sha256.digest()));
    }
  }

  private void append(
      FileChannel out, MultipartUpload upload, UploadedPart part, Path file, MessageDigest sha256)
      throws IOException {
    CRC32C crc = new CRC32C();
    long before = out.position();
    try (InputStream bytes = Files.newInputStream(file);
        InputStream hashed = new DigestInputStream(bytes, sha256)) {
      DirectoryFiles.append(out, new CheckedInputStream(hashed, crc));
    }
    if (out.position() - before != part.size() || (int) crc.getValue() != part.crc32c()) {
      throw new StoreException.Corrupt(
          upload.key(),
          layout.location(upload.key())
              + ": part "
              + part.number()
              + " is not the one that was acknowledged; upload again",
          null);
    }
  }

  /** Removes an upload and its parts; does nothing if it is gone. */
  void remove(MultipartUpload upload) throws IOException {
    Path removed = temp.newName();
    try {
      // In one step: half an upload must not be listed, nor completed.
      Files.move(layout.upload(upload), removed, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException e) {
      return;
    }
    DirectoryFiles.deleteTree(removed);
  }

  List<MultipartUpload> list(String prefix) throws IOException {
    List<MultipartUpload> uploads = new ArrayList<>();
    if (Files.notExists(layout.uploads())) {
      return uploads;
    }
    try (DirectoryStream<Path> dirs = Files.newDirectoryStream(layout.uploads())) {
      for (Path dir : dirs) {
        DirectorySidecar.read(dir.resolve(DESCRIPTION))
            .filter(d -> d.key().startsWith(prefix))
            .ifPresent(d -> uploads.add(new MultipartUpload(d.key(), d.uploadId())));
      }
    }
    return uploads;
  }

  private static Path part(Path dir, int number) {
    return dir.resolve(Integer.toString(number));
  }
}

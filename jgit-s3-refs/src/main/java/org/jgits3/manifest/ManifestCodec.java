// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The stored form of a manifest: one JSON object in UTF-8.
 *
 * <p>Rules of the format, which hold for later versions as well:
 *
 * <ul>
 *   <li>It is {@linkplain ChecksummedJson checksummed}.
 *   <li>A manifest that holds a repository has at least {@value #MIN_REPOSITORY_BYTES} bytes
 *       (padded with spaces before the checksum); a tombstone has fewer. A listing, which gives key
 *       and size, thus tells one from the other without reading either.
 *   <li>A manifest contains the id of its repository, which is in its key, too. Finding it under
 *       another id is an error.
 *   <li>A manifest that an earlier version would misread or spoil has a higher format number, which
 *       is read before any other field.
 *   <li>Fields that a reader does not know may appear at the top level and in pack entries only.
 *       They survive a rewrite.
 * </ul>
 *
 * <p>Encoding is deterministic. Safe for use by many threads.
 */
public final class ManifestCodec {
  /** Least size in bytes of a manifest that holds a repository. */
  public static final int MIN_REPOSITORY_BYTES = 4096;

  private ManifestCodec() {}

  /**
   * Encodes a manifest.
   *
   * @param manifest manifest to store
   * @return its bytes
   * @throws ManifestException.TooLarge if there are more than {@link Manifest#MAX_BYTES}
   * @throws IOException if a text is not valid Unicode
   */
  public static byte[] encode(Manifest manifest) throws IOException {
    return encode(manifest, Manifest.MAX_BYTES);
  }

  /**
   * Encodes a manifest of limited size.
   *
   * @param manifest manifest to store
   * @param most bytes it may have
   * @return its bytes
   * @throws ManifestException.TooLarge if there are more
   * @throws IOException if a text is not valid Unicode
   */
  public static byte[] encode(Manifest manifest, int most) throws IOException {
    byte[] bytes =
        ChecksummedJson.seal(
            fields(manifest), manifest.holdsRepository() ? MIN_REPOSITORY_BYTES : 0);
    checkSize(manifest, bytes.length, most);
    return bytes;
  }

  /** All fields but the checksum. */
  private static byte[] fields(Manifest manifest) throws IOException {
    return StoredValues.MAPPER.writeValueAsBytes(ManifestFields.of(manifest));
  }

  private static void checkSize(Manifest manifest, int size, int most) throws IOException {
    if (size > most) {
      throw new ManifestException.TooLarge(
          "the manifest would have "
              + size
              + " bytes, at most "
              + most
              + " are allowed; "
              + remedy(manifest, size),
          manifest.generation(),
          size - most);
    }
    if (!manifest.holdsRepository() && size >= MIN_REPOSITORY_BYTES) {
      throw new IllegalStateException("a tombstone of " + size + " bytes: " + manifest.state());
    }
  }

  /** Committers fold refs and log by themselves; packs are merged by maintenance alone. */
  private static String remedy(Manifest manifest, int size) throws IOException {
    int ofPacks = size - fields(manifest.withPacks(List.of())).length;
    return ofPacks > Manifest.MAX_BYTES / 2
        ? "its "
            + manifest.packs().size()
            + " packs take most of them: run jgit-s3 gc, or Maintenance.collectGarbage, then retry"
        : "fold refs or log, then retry";
  }

  /**
   * Decodes the manifest of a repository.
   *
   * @param where name for messages
   * @param repositoryId id in its key
   * @param bytes its stored form
   * @return the manifest; possibly one that this code must not write, see {@link Manifest#writable}
   * @throws ManifestException.Unsupported if it has a newer format
   * @throws ManifestException.Corrupt if the bytes are no manifest, or that of another repository
   */
  public static Manifest decode(String where, String repositoryId, byte[] bytes)
      throws ManifestException {
    return decode(where, Optional.of(repositoryId), bytes);
  }

  /**
   * Decodes a manifest of any repository, such as a copy.
   *
   * @param where name for messages
   * @param bytes its stored form
   * @return the manifest; possibly one that this code must not write, see {@link Manifest#writable}
   * @throws ManifestException.Unsupported if it has a newer format
   * @throws ManifestException.Corrupt if the bytes are no manifest
   */
  public static Manifest decode(String where, byte[] bytes) throws ManifestException {
    return decode(where, Optional.empty(), bytes);
  }

  private static Manifest decode(String where, Optional<String> repositoryId, byte[] bytes)
      throws ManifestException {
    if (bytes.length > Manifest.MAX_BYTES) {
      throw ChecksummedJson.corrupt(
          where, "has " + bytes.length + " bytes, more than any manifest", null);
    }
    return ChecksummedJson.decode(
        where,
        "manifest",
        bytes,
        Manifest.FORMAT,
        ManifestFields.class,
        fields -> {
          Manifest manifest = fields.manifest();
          checkId(manifest.repositoryId(), repositoryId);
          return manifest;
        });
  }

  private static void checkId(String written, Optional<String> found) {
    if (!found.orElse(written).equals(written)) {
      throw new IllegalArgumentException(
          "is the manifest of repository "
              + written
              + ": it was copied, moved or restored to another key; put back what was here, see"
              + " Restore in operations");
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.io.IOException;
import java.util.Optional;

/**
 * The object under the name of a repository: the id of the repository that the name leads to, or a
 * free marker. The name stands for the repository only if the repository's manifest says the name
 * too.
 *
 * <p>The stored form is {@linkplain ChecksummedJson checksummed JSON}. A pointer has at least
 * {@value #LEAST_BYTES} bytes and a free marker fewer, so that a listing tells one from the other.
 *
 * @param target the repository; empty in a free marker
 * @param nonce random, so that no two versions of the object have equal bytes, and that the writer
 *     recognises its own after a lost answer
 */
public record NamePointer(Optional<Target> target, String nonce) {
  /** Least size in bytes of a pointer that leads to a repository. */
  public static final int LEAST_BYTES = 256;

  private static final int MOST_BYTES = 511;
  private static final int NONCE_BYTES = 8;
  private static final int FORMAT = 1;

  /**
   * Repository that a name leads to.
   *
   * @param repositoryId a {@link Manifest#repositoryId}
   * @param epoch {@linkplain Manifest.Identity#epoch epoch} of the repository in which it gets the
   *     name, before that commit; if the manifest has a later one and another name, the pointer is
   *     dead and stays so
   */
  public record Target(String repositoryId, long epoch) {}

  /** The fields of the stored form in their order. */
  @JsonIgnoreProperties("crc32c")
  record Fields(
      int format,
      @JsonDeserialize(contentUsing = StoredValues.RepositoryId.class)
          Optional<String> repositoryId,
      Optional<Long> epoch,
      String nonce) {

    NamePointer pointer() {
      if (repositoryId.isPresent() != epoch.isPresent()) {
        throw new IllegalArgumentException("has one of repositoryId and epoch");
      }
      return new NamePointer(repositoryId.map(id -> new Target(id, epoch.get())), nonce);
    }
  }

  /**
   * Creates a pointer with a fresh nonce.
   *
   * @param repositoryId the repository
   * @param epoch its epoch
   * @return the pointer
   */
  public static NamePointer to(String repositoryId, long epoch) {
    return new NamePointer(
        Optional.of(new Target(repositoryId, epoch)), ObjectNames.random(NONCE_BYTES));
  }

  /**
   * Creates a free marker with a fresh nonce.
   *
   * @return the marker
   */
  public static NamePointer free() {
    return new NamePointer(Optional.empty(), ObjectNames.random(NONCE_BYTES));
  }

  /**
   * Encodes the stored form.
   *
   * @return its bytes
   * @throws IOException never, as all fields are plain
   */
  public byte[] encode() throws IOException {
    Fields fields =
        new Fields(FORMAT, target.map(Target::repositoryId), target.map(Target::epoch), nonce);
    return ChecksummedJson.seal(
        StoredValues.MAPPER.writeValueAsBytes(fields), target.isPresent() ? LEAST_BYTES : 0);
  }

  /**
   * Decodes a stored form.
   *
   * @param where name for messages
   * @param bytes the stored form
   * @return the pointer
   * @throws ManifestException.Unsupported if it has a newer format
   * @throws ManifestException.Corrupt if the bytes are no pointer
   */
  public static NamePointer decode(String where, byte[] bytes) throws ManifestException {
    NamePointer pointer =
        ChecksummedJson.decode(
            where, "pointer of a name", bytes, FORMAT, Fields.class, Fields::pointer);
    if (bytes.length > MOST_BYTES) {
      throw ChecksummedJson.corrupt(
          where, "has " + bytes.length + " bytes, more than any pointer", null);
    }
    return pointer;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

/**
 * A service of S3 as a probe sees it. It is told the dialect of its writes. It gets requests that
 * it should refuse, each once: with wrong checksums, or for an upload that was aborted. These are
 * for probes only, on keys of their own.
 */
public interface ProbedService {
  /**
   * Forms of a write in which services differ. A probe tries them out; nothing else tells them.
   * Reads have one form in all services.
   *
   * @param ifMatch form of the ETag in the {@code If-Match} of a PUT
   * @param checksum checksum of a body that the service verifies
   */
  record Dialect(IfMatch ifMatch, Checksum checksum) {
    /** The dialect of Amazon S3, which is tried first. */
    public static final Dialect S3 = new Dialect(IfMatch.QUOTED, Checksum.CRC32C);

    /** Form of the ETag in the {@code If-Match} of a PUT. */
    public enum IfMatch {
      /** As the service sent it, in quotes. */
      QUOTED,
      /** Without the quotes; Ceph compares it with the ETag as it is stored. */
      BARE
    }

    /** Checksum that is sent with a body. */
    public enum Checksum {
      /** {@code x-amz-checksum-crc32c}. */
      CRC32C,
      /** {@code Content-MD5}. */
      MD5
    }

    /** Checks that there are both. */
    public Dialect {
      Objects.requireNonNull(ifMatch, "ifMatch");
      Objects.requireNonNull(checksum, "checksum");
    }

    /**
     * The same dialect with another form of {@code If-Match}.
     *
     * @param other the form
     * @return the dialect
     */
    public Dialect with(IfMatch other) {
      return new Dialect(other, checksum);
    }

    /**
     * The same dialect with another checksum.
     *
     * @param other the checksum
     * @return the dialect
     */
    public Dialect with(Checksum other) {
      return new Dialect(ifMatch, other);
    }
  }

  /**
   * Has writes from now on sent in a dialect; {@link Dialect#S3} before. A probe ends before the
   * store is used for anything else.
   *
   * @param dialect the dialect
   */
  void speak(Dialect dialect);

  /**
   * Writes an object with the checksum of other bytes.
   *
   * @param key object to write
   * @return true if the store refused it
   * @throws StoreException if the store did not answer, or refused for another reason
   */
  boolean refusesWrongPut(String key) throws IOException;

  /**
   * Uploads a part with the checksum of other bytes.
   *
   * @param upload an upload that is aborted afterwards
   * @return true if the store refused it
   * @throws StoreException if the store did not answer, or refused for another reason
   */
  boolean refusesWrongPart(MultipartUpload upload) throws IOException;

  /**
   * Completes an upload that was aborted.
   *
   * @param upload the upload
   * @param parts its parts before it was aborted
   * @return true if the store refused it
   * @throws StoreException.Unavailable if the store did not answer, or failed; the object tells
   *     whether the upload is complete
   */
  boolean refusesToComplete(MultipartUpload upload, List<UploadedPart> parts) throws IOException;
}

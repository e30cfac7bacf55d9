// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.List;

/**
 * Sends requests that a store should refuse, each once: with wrong checksums, or for an upload that
 * was aborted. For probes only, on keys of their own.
 */
public interface WrongRequests {
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

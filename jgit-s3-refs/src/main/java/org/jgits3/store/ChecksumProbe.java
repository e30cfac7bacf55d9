// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;

/**
 * Sends requests with wrong checksums, to find out whether a store verifies the checksums of its
 * writers. For probes only, on keys of their own.
 */
public interface ChecksumProbe {
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
}

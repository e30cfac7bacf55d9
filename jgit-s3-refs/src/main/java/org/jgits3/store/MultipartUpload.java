// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.util.Map;

/**
 * A multipart upload in progress.
 *
 * @param key key that the object will have
 * @param uploadId the store's name for the upload
 * @param metadata user metadata of the future object, which identifies a completion whose answer
 *     was lost; empty for an upload that was only listed
 */
public record MultipartUpload(String key, String uploadId, Map<String, String> metadata) {
  /** Copies the metadata. */
  public MultipartUpload {
    metadata = Map.copyOf(metadata);
  }

  /**
   * An upload that was listed, to be aborted.
   *
   * @param key key that the object would have
   * @param uploadId the store's name for the upload
   */
  public MultipartUpload(String key, String uploadId) {
    this(key, uploadId, Map.of());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/**
 * A multipart upload that was begun.
 *
 * @param key key that the object will have
 * @param uploadId the store's name for the upload
 */
public record MultipartUpload(String key, String uploadId) {}

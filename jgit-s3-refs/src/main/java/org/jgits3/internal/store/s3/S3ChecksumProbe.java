// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.IOException;
import org.jgits3.store.ChecksumProbe;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.StoreLocation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Sends writes with a wrong CRC32C to a bucket, each once. */
final class S3ChecksumProbe implements ChecksumProbe {
  private static final String BODY = "a body whose checksum is not zero";

  /** CRC32C of no bytes at all, in base64. */
  private static final String WRONG = "AAAAAA==";

  private static final int BAD_REQUEST = 400;

  private final S3Client client;
  private final StoreLocation.Bucket bucket;
  private final String root;

  S3ChecksumProbe(S3Client client, StoreLocation.Bucket bucket, String root) {
    this.client = client;
    this.bucket = bucket;
    this.root = root;
  }

  @Override
  public boolean refusesWrongPut(String key) throws IOException {
    return refuses(
        key,
        () ->
            client.putObject(
                b -> b.bucket(bucket.bucket()).key(root + key).checksumCRC32C(WRONG),
                RequestBody.fromString(BODY)));
  }

  @Override
  public boolean refusesWrongPart(MultipartUpload upload) throws IOException {
    return refuses(
        upload.key(),
        () ->
            client.uploadPart(
                b ->
                    b.bucket(bucket.bucket())
                        .key(root + upload.key())
                        .uploadId(upload.uploadId())
                        .partNumber(1)
                        .checksumCRC32C(WRONG),
                RequestBody.fromString(BODY)));
  }

  private boolean refuses(String key, Runnable request) throws IOException {
    try {
      request.run();
      return false;
    } catch (SdkException e) {
      if (e instanceof SdkServiceException answer && answer.statusCode() == BAD_REQUEST) {
        return true;
      }
      throw S3Failure.of(e).toException(key, bucket + "/" + key);
    }
  }
}

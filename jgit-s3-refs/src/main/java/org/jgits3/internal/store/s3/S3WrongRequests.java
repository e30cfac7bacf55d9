// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.PartBody;
import org.jgits3.store.UploadedPart;
import org.jgits3.store.WrongRequests;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/** Sends requests to a bucket that the store never sends and a good server refuses, each once. */
final class S3WrongRequests implements WrongRequests {
  private static final byte[] BODY = "a body whose checksum is not zero".getBytes(UTF_8);

  /** CRC32C of no bytes at all, in base64. */
  private static final String WRONG = "AAAAAA==";

  private static final int BAD_REQUEST = 400;

  private final S3Client client;
  private final S3ObjectStore store;

  S3WrongRequests(S3Client client, S3ObjectStore store) {
    this.client = client;
    this.store = store;
  }

  @Override
  public boolean refusesWrongPut(String key) throws IOException {
    PutObjectRequest put =
        store.write(key, PartBody.of(BODY, 0, BODY.length)).checksumCRC32C(WRONG).build();
    return refuses(key, () -> client.putObject(put, RequestBody.fromBytes(BODY)));
  }

  @Override
  public boolean refusesWrongPart(MultipartUpload upload) throws IOException {
    UploadPartRequest part = store.part(upload, 1).checksumCRC32C(WRONG).build();
    return refuses(upload.key(), () -> client.uploadPart(part, RequestBody.fromBytes(BODY)));
  }

  @Override
  public boolean refusesToComplete(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    try {
      store.complete(upload, parts, S3ObjectStore.WRITE_TIMEOUT);
      return false;
    } catch (SdkException e) {
      S3Failure failure = S3Failure.of(e);
      if (failure.undecided()) {
        throw store.failed(upload.key(), failure);
      }
      return true;
    }
  }

  private boolean refuses(String key, Runnable request) throws IOException {
    try {
      request.run();
      return false;
    } catch (SdkException e) {
      if (e instanceof SdkServiceException answer && answer.statusCode() == BAD_REQUEST) {
        return true;
      }
      throw store.failed(key, S3Failure.of(e));
    }
  }
}

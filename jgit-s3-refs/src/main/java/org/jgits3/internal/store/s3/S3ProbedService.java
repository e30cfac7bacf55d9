// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.PartBody;
import org.jgits3.store.ProbedService;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.UploadedPart;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/**
 * Service behind a bucket. Sends requests that the store never sends and a good server refuses,
 * each once.
 */
final class S3ProbedService implements ProbedService {
  private static final byte[] BODY = "the bytes that are sent".getBytes(UTF_8);

  /** As many bytes, whose checksum is sent. */
  private static final PartBody NAMED =
      PartBody.of("other bytes, never sent".getBytes(UTF_8), 0, BODY.length);

  private static final int BAD_REQUEST = 400;

  private final S3Requests requests;
  private final S3Client client;
  private final WriteForm form;
  private final S3Uploads uploads;

  S3ProbedService(S3Requests requests, WriteForm form, S3Uploads uploads) {
    this.requests = requests;
    this.client = requests.client();
    this.form = form;
    this.uploads = uploads;
  }

  @Override
  public void speak(Dialect dialect) {
    form.speak(dialect);
  }

  @Override
  public boolean refusesWrongPut(String key) throws IOException {
    PutObjectRequest put = form.put(key, NAMED).build();
    return refuses(key, () -> client.putObject(put, RequestBody.fromBytes(BODY)));
  }

  @Override
  public boolean refusesWrongPart(MultipartUpload upload) throws IOException {
    UploadPartRequest part = form.part(upload, 1, NAMED, NAMED.crc32c());
    return refuses(upload.key(), () -> client.uploadPart(part, RequestBody.fromBytes(BODY)));
  }

  @Override
  public boolean refusesToComplete(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    try {
      uploads.attempt(upload, parts, S3ObjectStore.WRITE_TIMEOUT);
      return false;
    } catch (SdkException e) {
      S3Failure failure = S3Failure.of(e);
      if (failure.undecided()) {
        throw requests.failed(upload.key(), failure);
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
      throw requests.failed(key, S3Failure.of(e));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jgits3.store.Crc32c;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.PartBody;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadedPart;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/**
 * Uploads in parts to one bucket. Safe for use by many threads.
 *
 * <p>The methods are those of {@link org.jgits3.store.ObjectStore}, or say what they do.
 */
final class S3Uploads {
  private final S3Requests requests;
  private final S3Client client;
  private final WriteForm form;
  private final Duration patience;

  /**
   * Creates the uploads.
   *
   * @param patience longest wait for a completed object, over all requests
   */
  S3Uploads(S3Requests requests, WriteForm form, Duration patience) {
    this.requests = requests;
    this.client = requests.client();
    this.form = form;
    this.patience = patience;
  }

  MultipartUpload begin(String key, Map<String, String> metadata) throws IOException {
    CreateMultipartUploadRequest request =
        CreateMultipartUploadRequest.builder()
            .bucket(requests.bucket())
            .key(requests.key(key))
            .contentType(WriteForm.BINARY)
            .metadata(metadata)
            .checksumAlgorithm(form.algorithm())
            .build();
    String id =
        requests.send(
            key,
            () ->
                S3Requests.required(
                    "an upload id", client.createMultipartUpload(request).uploadId()));
    return new MultipartUpload(key, id, metadata);
  }

  UploadedPart upload(MultipartUpload upload, int number, PartBody body) throws IOException {
    int crc = body.crc32c();
    UploadPartRequest part = form.part(upload, number, body, crc);
    String tag =
        requests.send(
            upload.key(),
            () ->
                S3Requests.required(
                    "an ETag", client.uploadPart(part, WriteForm.body(body)).eTag()));
    return new UploadedPart(number, tag, body.size(), crc);
  }

  void complete(MultipartUpload upload, List<UploadedPart> parts) throws IOException {
    new Completion(this, upload, parts, requests.retries().begin(), patience).run();
  }

  /**
   * Makes one attempt to complete an upload.
   *
   * @param limit time limit of the answer
   * @throws SdkException if there was no answer, or one other than success
   * @throws StoreException.Corrupt if the object of the store differs from the parts
   */
  void attempt(MultipartUpload upload, List<UploadedPart> parts, Duration limit)
      throws StoreException.Corrupt {
    List<CompletedPart> completed = parts.stream().map(form::completed).toList();
    CompleteMultipartUploadResponse response =
        requests.connected(
            () ->
                client.completeMultipartUpload(
                    b ->
                        b.bucket(requests.bucket())
                            .key(requests.key(upload.key()))
                            .uploadId(upload.uploadId())
                            .multipartUpload(m -> m.parts(completed))
                            .overrideConfiguration(S3Requests.within(limit))));
    S3Requests.required("an ETag", response.eTag());
    check(upload, parts, response.checksumCRC32C());
  }

  /** Verifies a completed object by the checksum of its parts' checksums. */
  private void check(MultipartUpload upload, List<UploadedPart> parts, String actual)
      throws StoreException.Corrupt {
    if (actual == null || !actual.contains("-")) {
      return; // no checksum of parts; the store has verified each part when it received it
    }
    ByteBuffer checksums = ByteBuffer.allocate(Integer.BYTES * parts.size());
    parts.forEach(part -> checksums.putInt(part.crc32c()));
    String expected = WriteForm.encode(Crc32c.of(checksums.array())) + "-" + parts.size();
    if (!actual.equals(expected)) {
      throw new StoreException.Corrupt(
          upload.key(),
          location(upload)
              + ": put together with CRC32C "
              + actual
              + " instead of "
              + expected
              + "; upload again under a new name",
          null);
    }
  }

  /** Tests whether the object of an upload exists, whatever the answer to its completion was. */
  boolean isThere(MultipartUpload upload, List<UploadedPart> parts) throws IOException {
    long size = parts.stream().mapToLong(UploadedPart::size).sum();
    return requests
        .stat(upload.key())
        .filter(info -> info.size() == size)
        .filter(info -> info.metadata().equals(upload.metadata()))
        .isPresent();
  }

  String location(MultipartUpload upload) {
    return requests.location(upload.key());
  }

  void abort(MultipartUpload upload) throws IOException {
    try {
      requests.send(
          upload.key(),
          requests.retries().begin(Retries.BRIEFLY), // a sweep removes what an outage leaves
          failures ->
              requests.connected(
                  () ->
                      client.abortMultipartUpload(
                          b ->
                              b.bucket(requests.bucket())
                                  .key(requests.key(upload.key()))
                                  .uploadId(upload.uploadId()))));
    } catch (StoreException.Missing e) {
      return; // aborted or completed before
    }
  }

  List<MultipartUpload> list(String prefix) throws IOException {
    List<MultipartUpload> uploads = new ArrayList<>();
    ListMultipartUploadsRequest.Builder request =
        ListMultipartUploadsRequest.builder()
            .bucket(requests.bucket())
            .prefix(requests.key(prefix));
    ListMultipartUploadsResponse page;
    do {
      page = requests.send(prefix, () -> client.listMultipartUploads(request.build()));
      for (software.amazon.awssdk.services.s3.model.MultipartUpload upload : page.uploads()) {
        uploads.add(new MultipartUpload(requests.keyOf(upload.key()), upload.uploadId()));
      }
      request.keyMarker(page.nextKeyMarker()).uploadIdMarker(page.nextUploadIdMarker());
    } while (Boolean.TRUE.equals(page.isTruncated()) && page.nextKeyMarker() != null);
    return uploads;
  }
}

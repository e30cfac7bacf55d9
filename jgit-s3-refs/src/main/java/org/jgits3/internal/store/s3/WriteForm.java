// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.nio.ByteBuffer;
import java.util.Base64;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.UploadedPart;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/** Form of all writes to one bucket. Safe for use by many threads. */
final class WriteForm {
  static final String BINARY = "application/octet-stream";

  private final S3Requests requests;

  /** Set by a probe before the store is used for anything else. */
  private volatile Dialect dialect = Dialect.S3;

  WriteForm(S3Requests requests) {
    this.requests = requests;
  }

  void speak(Dialect other) {
    dialect = other;
  }

  /** ETag of a version as the {@code If-Match} of a PUT names it. */
  String named(ObjectVersion version) {
    String tag = version.value();
    boolean quoted = tag.length() >= 2 && tag.startsWith("\"") && tag.endsWith("\"");
    return quoted && dialect.ifMatch() == Dialect.IfMatch.BARE
        ? tag.substring(1, tag.length() - 1)
        : tag;
  }

  PutObjectRequest.Builder put(String key, PartBody content) {
    return PutObjectRequest.builder()
        .bucket(requests.bucket())
        .key(requests.key(key))
        .contentLength(content.size())
        .checksumCRC32C(sendsCrc32c() ? encode(content.crc32c()) : null)
        .contentMD5(sendsCrc32c() ? null : encode(content.md5()));
  }

  private boolean sendsCrc32c() {
    return dialect.checksum() == Dialect.Checksum.CRC32C;
  }

  static RequestBody body(PartBody body) {
    return RequestBody.fromContentProvider(body::open, body.size(), BINARY);
  }

  static String encode(int crc32c) {
    return encode(ByteBuffer.allocate(Integer.BYTES).putInt(crc32c).array());
  }

  private static String encode(byte[] checksum) {
    return Base64.getEncoder().encodeToString(checksum);
  }

  UploadPartRequest part(MultipartUpload upload, int number, PartBody content, int crc32c) {
    return UploadPartRequest.builder()
        .bucket(requests.bucket())
        .key(requests.key(upload.key()))
        .uploadId(upload.uploadId())
        .partNumber(number)
        .contentLength(content.size())
        .checksumCRC32C(sendsCrc32c() ? encode(crc32c) : null)
        .contentMD5(sendsCrc32c() ? null : encode(content.md5()))
        .build();
  }

  CompletedPart completed(UploadedPart part) {
    return CompletedPart.builder()
        .partNumber(part.number())
        .eTag(part.tag())
        .checksumCRC32C(sendsCrc32c() ? encode(part.crc32c()) : null)
        .build();
  }

  /** Checksum of parts that a server is told to expect; null if none is sent. */
  ChecksumAlgorithm algorithm() {
    return sendsCrc32c() ? ChecksumAlgorithm.CRC32_C : null;
  }
}

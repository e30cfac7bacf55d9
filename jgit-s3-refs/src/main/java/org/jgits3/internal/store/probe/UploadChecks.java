// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.PartBody;
import org.jgits3.store.ProbedService;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.UploadedPart;

/** Multipart uploads, one request after the other. */
final class UploadChecks {
  private static final int LAST_PART = 1_000;

  private final ProbeRun run;
  private final ObjectStore store;

  UploadChecks(ProbeRun run) {
    this.run = run;
    this.store = run.store();
  }

  void run() throws IOException {
    run.check(Property.MULTIPART, this::roundTrip);
    run.check(Property.MULTIPART_ABORT, this::abort);
    Optional<ProbedService> service = store.probedService();
    if (service.isPresent()) {
      run.check(Property.PART_CHECKSUM, () -> wrongPart(service.get()));
    }
  }

  /** Checks what repositories can do without, and a server needs no right to. */
  void runOptional() throws IOException {
    run.check(Property.MULTIPART_LIST, this::list);
  }

  private Optional<String> roundTrip() throws IOException {
    int partSize = UploadOptions.MIN_PART_SIZE;
    byte[] body = new byte[partSize + LAST_PART];
    new Random(partSize).nextBytes(body);
    String key = run.key("multipart");
    String token = UUID.randomUUID().toString();
    MultipartUpload upload = store.beginMultipart(key, Map.of("token", token));
    UploadedPart last = store.uploadPart(upload, 2, PartBody.of(body, partSize, LAST_PART));
    UploadedPart first = store.uploadPart(upload, 1, PartBody.of(body, 0, partSize));
    store.completeMultipart(upload, List.of(first, last));

    Optional<ObjectInfo> info = store.stat(key);
    if (info.isEmpty() || info.get().size() != body.length) {
      return Optional.of("an upload was acknowledged but is not whole; packs would be lost");
    }
    if (!token.equals(info.get().metadata().get("token"))) {
      return Optional.of("metadata is lost; an upload in doubt could not be recognised");
    }
    byte[] dst = new byte[body.length];
    store.read(key, 0, dst, 0, dst.length, Optional.of(info.get().version()));
    return Arrays.equals(dst, body)
        ? Optional.empty()
        : Optional.of("an upload has other bytes than its parts; packs would be unreadable");
  }

  private Optional<String> list() throws IOException {
    MultipartUpload upload = store.beginMultipart(run.key("uploads/x"), Map.of());
    try {
      return store.listMultipart(run.prefix() + "uploads/").contains(upload)
          ? Optional.empty()
          : Optional.of("uploads of dead processes cannot be found; set a lifecycle rule");
    } finally {
      store.abortMultipart(upload);
    }
  }

  private Optional<String> abort() throws IOException {
    MultipartUpload upload = store.beginMultipart(run.key("aborted"), Map.of());
    UploadedPart part = store.uploadPart(upload, 1, PartBody.of(new byte[LAST_PART], 0, LAST_PART));
    store.abortMultipart(upload);
    return completes(upload, part)
        ? Optional.of("an upload that was aborted could be completed")
        : Optional.empty();
  }

  /**
   * Completes an upload that was aborted. If the outcome is in doubt, the object decides: some
   * servers answer with an internal error.
   */
  private boolean completes(MultipartUpload upload, UploadedPart part) throws IOException {
    Optional<ProbedService> service = store.probedService();
    try {
      if (service.isPresent()) {
        return !service.get().refusesToComplete(upload, List.of(part));
      }
      store.completeMultipart(upload, List.of(part));
      return true;
    } catch (StoreException.Unavailable e) {
      return store.stat(upload.key()).isPresent();
    } catch (StoreException e) {
      return false;
    }
  }

  private Optional<String> wrongPart(ProbedService service) throws IOException {
    MultipartUpload upload = store.beginMultipart(run.key("part-checksum"), Map.of());
    try {
      return service.refusesWrongPart(upload)
          ? Optional.empty()
          : Optional.of("bytes that were damaged on the way would be stored");
    } finally {
      store.abortMultipart(upload);
    }
  }
}

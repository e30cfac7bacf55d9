// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.UploadedPart;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObservedObjectStoreTest {
  private static final Optional<ObjectVersion> ANY = Optional.empty();

  @TempDir Path root;
  private final RequestCounts counts = new RequestCounts();
  private final List<String> heard = new ArrayList<>();
  @AutoClose private ObjectStore store;

  @BeforeEach
  void open_store() throws IOException {
    store =
        new ObservedObjectStore(
            new DirectoryObjectStore(root),
            (kind, outcome, bytes, nanos) -> {
              counts.requestEnded(kind, outcome, bytes, nanos);
              heard.add(kind + " " + outcome + " " + bytes);
            });
  }

  @Test
  void every_request_is_heard_with_its_outcome_and_bytes() throws IOException {
    store.get("x", ANY);
    ObjectVersion version =
        ((PutOutcome.Won) store.putIf("x", new byte[7], Precondition.absent())).version();
    store.putIf("x", new byte[7], Precondition.absent());
    store.get("x", Optional.of(version));
    store.get("x", ANY);
    store.read("x", 1, new byte[3], 0, 3, ANY);
    assertThat(catchThrowable(() -> store.read("none", 1, new byte[3], 0, 3, ANY))).isNotNull();
    store.stat("x");
    assertThat(heard)
        .containsExactly(
            "GET MISSING 0",
            "PUT_IF OK 7",
            "PUT_IF LOST 0",
            "GET NOT_MODIFIED 0",
            "GET OK 7",
            "READ OK 3",
            "READ MISSING 0",
            "STAT OK 0");
  }

  @Test
  void an_upload_is_one_request_per_step() throws IOException {
    MultipartUpload upload = store.beginMultipart("x", Map.of());
    UploadedPart part = store.uploadPart(upload, 1, PartBody.of(new byte[9], 0, 9));
    store.listMultipart("");
    store.completeMultipart(upload, List.of(part));
    store.abortMultipart(upload);
    assertThat(heard)
        .containsExactly(
            "MULTIPART_BEGIN OK 0",
            "PART OK 9",
            "LIST_MULTIPART OK 0",
            "COMPLETE OK 0",
            "ABORT OK 0");
  }

  @Test
  void listing_and_deleting_count_as_the_pages_that_s3_needs() throws IOException {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 1001; i++) {
      keys.add("k/" + i);
      store.put("k/" + i, new byte[0], 0, 0);
    }
    RequestCounts.Snapshot before = counts.snapshot();
    store.list("k/", o -> {});
    store.list("none/", o -> {});
    store.delete(keys);
    RequestCounts.Snapshot used = counts.snapshot().since(before);
    assertThat(used.of(RequestKind.LIST)).isEqualTo(3);
    assertThat(used.of(RequestKind.DELETE)).isEqualTo(2);
    assertThat(used.total()).isEqualTo(5);
    assertThat(used).hasToString("5 requests: 3 LIST, 2 DELETE");
  }

  @Test
  void threads_are_all_counted() throws Exception {
    ConcurrentTasks.run(
        8,
        t -> {
          for (int i = 0; i < 1000; i++) {
            counts.requestEnded(RequestKind.GET, RequestOutcome.OK, 2, 1);
          }
        });
    assertThat(counts.snapshot().of(RequestKind.GET)).isEqualTo(8000);
    assertThat(counts.snapshot().totalBytes()).isEqualTo(16000);
  }
}

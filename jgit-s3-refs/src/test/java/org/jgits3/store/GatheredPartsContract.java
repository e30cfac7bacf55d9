// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.store.RequestKind.ABORT;
import static org.jgits3.store.RequestKind.COMPLETE;
import static org.jgits3.store.RequestKind.DELETE;
import static org.jgits3.store.RequestKind.MULTIPART_BEGIN;
import static org.jgits3.store.RequestKind.PART;
import static org.jgits3.store.RequestKind.PUT;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploads whose later parts are larger than their memory, on every store. */
@Timeout(120)
abstract class GatheredPartsContract {
  static final int SIZE = UploadOptions.MIN_PART_SIZE;
  static final Duration FOR_EVER = Duration.ofDays(1);

  /** Two parts are what memory has; later ones are three buffers large. */
  static final PartSizes SIZES = new PartSizes(6, 2, 1, 3 * SIZE);

  private final String prefix = "gathered/" + UUID.randomUUID() + "/";
  private final List<UploadedPart> parts = Collections.synchronizedList(new ArrayList<>());
  final RequestCounts counts = new RequestCounts();
  private ObjectStore store;

  /** Opens the store under test. */
  abstract ObjectStore openStore() throws IOException;

  @BeforeEach
  void open() throws IOException {
    store =
        new DelegatingObjectStore(new ObservedObjectStore(openStore(), counts)) {
          @Override
          public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
              throws IOException {
            UploadedPart part = super.uploadPart(upload, number, body);
            parts.add(part);
            return part;
          }
        };
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private PackUploads uploads(int buffers) {
    return new PackUploads(store, new UploadOptions(SIZE, buffers), FOR_EVER, SIZES);
  }

  static byte[] content(int size, int seed) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private String key(int stream) {
    return prefix + stream + ".pack";
  }

  private void assertStored(String key, byte[] bytes) throws IOException {
    assertThat(store.stat(key).orElseThrow().size()).isEqualTo(bytes.length);
    byte[] stored = new byte[bytes.length];
    store.read(key, 0, stored, 0, stored.length, Optional.empty());
    assertThat(Arrays.equals(stored, bytes)).isTrue();
  }

  private void assertOnly(String... expected) throws IOException {
    List<String> keys = new ArrayList<>();
    store.list(prefix, object -> keys.add(object.key()));
    assertThat(keys).containsExactlyInAnyOrder(expected);
    assertThat(store.listMultipart(prefix)).isEmpty();
    assertThat(store.listMultipart(key(0))).isEmpty(); // MinIO lists them by whole keys only
  }

  /** In buffers: what is written, and which parts come of it. */
  @ParameterizedTest
  @CsvSource({
    "2, 0, 1 1, 0, 0",
    "2, 1, 1 1 0, 0, 0",
    "3, 0, 1 1 1, 0, 0",
    "3, 1, 1 1 1, 2, 1",
    "4, 0, 1 1 2, 2, 1",
    "5, 0, 1 1 3, 3, 1",
    "5, 1, 1 1 3 0, 3, 1",
    "8, 100, 1 1 3 3 0, 6, 2",
    "9, 100, 1 1 3 3 1, 8, 3",
  })
  void a_part_that_memory_cannot_hold_is_put_together_in_the_store(
      int buffers, int more, String expected, int puts, int deletes) throws Exception {
    byte[] bytes = content(buffers * SIZE + more, 1);
    try (PackUploads uploads = uploads(1)) {
      PackUpload upload = uploads.begin(key(0));
      upload.write(bytes);
      upload.close();

      assertThat(upload.crc32c()).isEqualTo(ImmutableObjects.crc32c(bytes));
      assertThat(uploads.buffers().mostInUse()).isEqualTo(1);
      assertThat(uploads.buffers().inUse()).isZero();
    }
    RequestCounts.Snapshot cost = counts.snapshot();
    assertStored(key(0), bytes);
    assertOnly(key(0));
    parts.sort(Comparator.comparingInt(UploadedPart::number));
    assertThat(parts.stream().map(p -> Long.toString(p.size() / SIZE)))
        .containsExactly(expected.split(" "));
    assertThat(cost.of(MULTIPART_BEGIN)).isEqualTo(1);
    assertThat(cost.of(PART)).isEqualTo(parts.size());
    assertThat(cost.of(PUT)).isEqualTo(puts);
    assertThat(cost.of(DELETE)).isEqualTo(deletes);
    assertThat(cost.of(COMPLETE)).isEqualTo(1);
    assertThat(cost.of(ABORT)).isZero();
  }

  @Test
  void a_part_that_memory_can_hold_is_sent_from_it_whatever_the_size_of_a_buffer()
      throws Exception {
    PartSizes notDivisible = new PartSizes(6, 1, 1, 3 * SIZE / 2);
    byte[] bytes = content(3 * SIZE + PackUpload.OWN_BYTES, 1);
    try (PackUploads uploads =
            new PackUploads(store, new UploadOptions(SIZE, 3), FOR_EVER, notDivisible);
        PackUpload upload = uploads.begin(key(0))) {
      upload.write(bytes);
    }
    RequestCounts.Snapshot cost = counts.snapshot();
    assertStored(key(0), bytes);
    parts.sort(Comparator.comparingInt(UploadedPart::number));
    assertThat(parts.stream().map(p -> p.size() / SIZE)).containsExactly(1L, 2L, 0L);
    assertThat(cost.of(PUT)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void streams_with_such_parts_all_end_with_the_buffers_there_are(int buffers) throws Exception {
    List<byte[]> contents = List.of(content(9 * SIZE + 7, 1), content(6 * SIZE, 2), content(9, 3));
    try (PackUploads uploads = uploads(buffers)) {
      ConcurrentTasks.run(
          contents.size(),
          stream -> {
            byte[] bytes = contents.get(stream);
            try (PackUpload upload = uploads.begin(key(stream))) {
              for (int at = 0; at < bytes.length; at += 300_001) {
                upload.write(bytes, at, Math.min(300_001, bytes.length - at));
              }
            }
          });
      assertThat(uploads.buffers().mostInUse()).isLessThanOrEqualTo(buffers);
      assertThat(uploads.buffers().inUse()).isZero();
    }
    for (int stream = 0; stream < contents.size(); stream++) {
      assertStored(key(stream), contents.get(stream));
    }
    assertOnly(key(0), key(1), key(2));
  }

  @Test
  void a_part_that_is_given_up_half_way_leaves_nothing() throws Exception {
    try (PackUploads uploads = uploads(2)) {
      PackUpload upload = uploads.begin(key(0));
      upload.write(content(4 * SIZE + PackUpload.OWN_BYTES + 1, 1));
      upload.abort();
    }
    assertOnly();
  }

  @Test
  void so_does_the_end_of_all_uploads() throws Exception {
    PackUploads uploads = uploads(1);
    PackUpload upload = uploads.begin(key(0));
    upload.write(content(4 * SIZE + PackUpload.OWN_BYTES + 1, 1));
    uploads.close();
    assertThatThrownBy(upload::close).isInstanceOf(IOException.class);
    assertOnly();
  }

  @Test
  void an_object_has_no_more_parts_than_the_store_allows() throws Exception {
    byte[] bytes = content(15 * SIZE, 1);
    try (PackUploads uploads = uploads(1)) {
      PackUpload upload = uploads.begin(key(0));
      upload.write(bytes, 0, 14 * SIZE);
      assertThatThrownBy(() -> upload.write(bytes, 0, 2 * SIZE))
          .hasMessageContaining("upload of " + key(0) + ": 6 parts hold no more than")
          .hasMessageContaining("write several objects");
    }
    assertOnly();
  }
}

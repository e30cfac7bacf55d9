// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.FaultInjectingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of uploads whose requests fail, are lost, late or applied twice. */
class PackUploadFaultsTest {
  private static final String KEY = "objects/r/pack/x.pack";
  private static final int PART = UploadOptions.MIN_PART_SIZE;
  private static final int SIZE = 5 * PART / 2;

  @TempDir Path directory;
  private static byte[] bytes;
  @AutoClose private FaultInjectingObjectStore store;
  private ObjectStore below;
  @AutoClose private PackUploads uploads;

  @BeforeAll
  static void make_bytes() {
    bytes = new byte[SIZE];
    new SplittableRandom(1).nextBytes(bytes);
  }

  @BeforeEach
  void open() throws IOException {
    below = new DirectoryObjectStore(directory);
    use(1, 0);
  }

  private void use(long seed, double rate) {
    store = new FaultInjectingObjectStore(below, seed, rate);
    uploads = new PackUploads(store, new UploadOptions(PART, 2));
  }

  private void upload() throws IOException {
    try (PackUpload upload = uploads.begin(KEY)) {
      upload.write(bytes);
    }
  }

  private void assertStored() throws IOException {
    byte[] stored = new byte[SIZE];
    below.read(KEY, 0, stored, 0, SIZE, Optional.empty());
    assertThat(below.stat(KEY).orElseThrow().size()).isEqualTo(SIZE);
    assertThat(Arrays.equals(stored, bytes)).isTrue();
  }

  private void assertNothingIsLeft() throws IOException {
    assertThat(below.stat(KEY)).isEmpty();
    assertThat(below.listMultipart("")).isEmpty();
    assertThat(uploads.buffers().inUse()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "MULTIPART_BEGIN, FAIL_BEFORE",
    "PART, FAIL_BEFORE",
    "PART, FAIL_AFTER",
    "PART, LATE",
    "COMPLETE, FAIL_BEFORE"
  })
  void a_request_without_an_answer_fails_the_upload(RequestKind kind, Fault fault)
      throws Exception {
    store.script(kind, fault);
    assertThatThrownBy(this::upload).isInstanceOf(StoreException.Unavailable.class);
    if (kind == RequestKind.COMPLETE) {
      assertThat(store.counts().snapshot().of(RequestKind.ABORT)).isZero(); // it may arrive yet
      assertThat(below.stat(KEY)).isEmpty();
    } else {
      assertNothingIsLeft();
    }
  }

  @Test
  void an_upload_whose_beginning_is_not_answered_is_left_to_sweep() throws Exception {
    store.script(RequestKind.MULTIPART_BEGIN, Fault.FAIL_AFTER);
    assertThatThrownBy(this::upload).isInstanceOf(StoreException.Unavailable.class);
    assertThat(store.counts().snapshot().of(RequestKind.PART)).isZero();
    assertThat(below.stat(KEY)).isEmpty();
    assertThat(below.listMultipart("")).hasSize(1);
    assertThat(uploads.buffers().inUse()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = RequestKind.class,
      names = {"PART", "COMPLETE"})
  void a_request_that_arrives_twice_changes_nothing(RequestKind kind) throws Exception {
    store.script(kind, Fault.TWICE, Fault.TWICE);
    upload();
    assertStored();
    assertThat(below.listMultipart("")).isEmpty();
  }

  @Test
  void a_completion_in_doubt_is_a_failure_that_is_not_aborted() throws Exception {
    store.script(RequestKind.COMPLETE, Fault.FAIL_AFTER);
    assertThatThrownBy(this::upload).isInstanceOf(StoreException.Unavailable.class);
    assertThat(store.counts().snapshot().of(RequestKind.ABORT)).isZero();
    assertThat(uploads.buffers().inUse()).isZero();
    assertStored();
  }

  @Test
  void a_failure_tells_that_parts_may_be_left() throws Exception {
    store.script(RequestKind.PART, Fault.FAIL_BEFORE);
    store.script(RequestKind.ABORT, Fault.FAIL_BEFORE);
    Throwable failure = catchThrowable(this::upload);
    assertThat(failure).hasMessageContaining(KEY);
    assertThat(failure.getSuppressed())
        .anySatisfy(left -> assertThat(left).isInstanceOf(StoreException.Unavailable.class));
    assertThat(uploads.buffers().inUse()).isZero();
  }

  @Seeds(8)
  void at_random_it_is_whole_or_a_failure(long seed) throws Exception {
    use(seed, 0.15);
    Throwable failure = catchThrowable(this::upload);
    if (failure == null) {
      assertStored();
    } else if (below.stat(KEY).isPresent()) {
      assertThat(failure).isInstanceOf(StoreException.Unavailable.class);
      assertStored();
    }
    assertThat(uploads.buffers().inUse()).isZero();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamingUploadTest {
  private static final String KEY = "objects/r/pack/x.pack";
  private static final int PART = StreamingUpload.PART_SIZE;

  @TempDir Path directory;
  private FaultInjectingObjectStore store;

  @BeforeEach
  void open() throws IOException {
    store = new FaultInjectingObjectStore(new DirectoryObjectStore(directory), 1, 0);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private static byte[] content(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static void write(StreamingUpload upload, byte[] bytes, int step) throws IOException {
    for (int at = 0; at < bytes.length; at += step) {
      upload.write(bytes, at, Math.min(step, bytes.length - at));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1",
    "1, 1",
    "100000, 1",
    "8388607, 65536",
    "8388608, 8388608",
    "8388609, 9000000",
    "20000000, 4097",
    "33554432, 100000000"
  })
  void what_was_written_is_stored_whatever_the_steps(int size, int step) throws Exception {
    byte[] bytes = content(size);
    StreamingUpload upload = new StreamingUpload(store, KEY);
    write(upload, bytes, step);
    upload.close();

    assertThat(upload.count()).isEqualTo(size);
    assertThat(upload.crc32c()).isEqualTo(ImmutableObjects.crc32c(bytes));
    assertThat(store.stat(KEY).orElseThrow().size()).isEqualTo(size);
    byte[] stored = new byte[size];
    if (size > 0) {
      store.read(KEY, 0, stored, 0, size, Optional.empty());
    }
    assertThat(Arrays.equals(stored, bytes)).isTrue();
    assertThat(store.counts().snapshot().of(RequestKind.PART))
        .isEqualTo(size <= PART ? 0 : (size + PART - 1) / PART);
    assertThat(store.listMultipart("")).isEmpty();
  }

  @Test
  void nothing_exists_before_the_end() throws Exception {
    StreamingUpload upload = new StreamingUpload(store, KEY);
    write(upload, content(PART + 1), PART);
    assertThat(store.stat(KEY)).isEmpty();
    upload.close();
    assertThat(store.stat(KEY)).isPresent();
  }

  @Test
  void an_upload_that_is_given_up_leaves_nothing() throws Exception {
    StreamingUpload upload = new StreamingUpload(store, KEY);
    write(upload, content(2 * PART + 1), PART);
    assertThat(store.listMultipart("")).hasSize(1);
    upload.abort();
    upload.close();
    assertThat(store.listMultipart("")).isEmpty();
    assertThat(store.stat(KEY)).isEmpty();
    assertThatThrownBy(() -> upload.write(1)).isInstanceOf(IOException.class);
  }

  @Test
  void a_part_that_fails_ends_the_upload_and_leaves_nothing() throws Exception {
    store.script(RequestKind.PART, Fault.NONE, Fault.FAIL_BEFORE);
    StreamingUpload upload = new StreamingUpload(store, KEY);
    assertThatThrownBy(() -> write(upload, content(4 * PART), 1 << 20))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(upload::close).isInstanceOf(IOException.class);
    assertThat(store.listMultipart("")).isEmpty();
    assertThat(store.stat(KEY)).isEmpty();
  }

  @Test
  void a_completion_in_doubt_is_a_failure_that_is_not_aborted() throws Exception {
    store.script(RequestKind.COMPLETE, Fault.FAIL_AFTER);
    StreamingUpload upload = new StreamingUpload(store, KEY);
    write(upload, content(PART + 1), PART);
    assertThatThrownBy(upload::close).isInstanceOf(IOException.class);
    assertThat(store.counts().snapshot().of(RequestKind.ABORT)).isZero();
    assertThat(store.stat(KEY)).isPresent();
  }
}

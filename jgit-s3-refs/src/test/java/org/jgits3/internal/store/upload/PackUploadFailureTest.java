// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.PartBody;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a failed upload leaves nothing in the store. */
class PackUploadFailureTest {
  private static final String KEY = "objects/r/pack/p.pack";
  private static final int PART = UploadOptions.MIN_PART_SIZE;

  @TempDir Path directory;

  /** Thrown one after the other by the next parts or puts. */
  private final Queue<RuntimeException> unchecked = new ArrayDeque<>();

  private final Queue<IOException> checked = new ArrayDeque<>();

  /** Bytes that the store says it has not got, of each part. */
  private long unacknowledged;

  @AutoClose private DelegatingObjectStore store;
  private PackUpload upload;

  @BeforeEach
  void open() throws IOException {
    store =
        new DelegatingObjectStore(new DirectoryObjectStore(directory)) {
          @Override
          public UploadedPart uploadPart(MultipartUpload to, int number, PartBody body)
              throws IOException {
            fail();
            UploadedPart part = super.uploadPart(to, number, body);
            return new UploadedPart(
                number, part.tag(), part.size() - unacknowledged, part.crc32c());
          }

          @Override
          public void put(String key, byte[] src, int offset, int length) throws IOException {
            fail();
            super.put(key, src, offset, length);
          }
        };
    upload = new PackUploads(store, new UploadOptions(PART, 2)).begin(KEY);
  }

  private void fail() throws IOException {
    if (!unchecked.isEmpty()) {
      throw unchecked.remove();
    }
    if (!checked.isEmpty()) {
      throw checked.remove();
    }
  }

  private void write(int bytes) throws IOException {
    upload.write(new byte[bytes], 0, bytes);
  }

  private void assertNothingIsLeft() throws IOException {
    assertThat(store.stat(KEY)).isEmpty();
    assertThat(store.listMultipart("")).isEqualTo(List.of());
  }

  @Test
  void an_upload_that_missed_bytes_never_becomes_an_object() throws Exception {
    unchecked.add(new IllegalStateException("connection pool shut down"));
    assertThatThrownBy(() -> write(4 * PART + 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> write(1)).isInstanceOf(IOException.class);
    assertThatThrownBy(upload::close).isInstanceOf(IOException.class);
    assertNothingIsLeft();
  }

  @Holds(
      "PackUpload: An object exists only after its upload was closed successfully, with as many "
          + "bytes as were written. A failed one leaves neither object nor parts.")
  @Test
  void an_upload_with_fewer_bytes_than_were_written_never_becomes_an_object() throws Exception {
    unacknowledged = 1;
    write(2 * PART + 1);
    assertThatThrownBy(upload::close)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("10,485,761 bytes were written and 10,485,758 sent");
    assertThatThrownBy(upload::close).isInstanceOf(IOException.class);
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, PART + 1})
  void closing_again_does_not_turn_a_failed_close_into_a_success(int length) throws Exception {
    write(length);
    checked.add(new IOException("disk full"));
    assertThatThrownBy(upload::close).hasMessage("disk full");
    assertThatThrownBy(upload::close).isInstanceOf(IOException.class);
    assertNothingIsLeft();
  }
}

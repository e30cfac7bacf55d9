// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jgits3.store.Crc32c;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.PartBody;
import org.jgits3.store.StoreKind;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.EachStore;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link PackUpload} to every store. */
@Holds(
    "PackUpload: An object exists only after its upload was closed successfully, with as many "
        + "bytes as were written. A failed one leaves neither object nor parts.")
@Holds(
    "PackUpload: Parts but the last have at least 5 MiB. An upload that needs more than 10,000 "
        + "fails and names the setting, at once if its length is known.")
@Holds(
    "PackUploads: A manager that is closed, or a command that is told to stop, aborts its open "
        + "uploads")
@EachStore
class PackUploadTest {
  private static final int MIN_PART = UploadOptions.MIN_PART_SIZE;
  private static final int PART = 6 << 20;

  @Parameter StoreKind kind;
  @TempDir Path directory;

  private final String prefix = "upload/" + UUID.randomUUID() + "/";
  private final String key = prefix + "x.pack";

  /** Parts that the store has acknowledged. */
  private final List<UploadedPart> parts = Collections.synchronizedList(new ArrayList<>());

  @AutoClose private ObjectStore store;
  @AutoClose private PackUploads uploads;

  @BeforeEach
  void open() throws IOException {
    store =
        new DelegatingObjectStore(kind.open(directory)) {
          @Override
          public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
              throws IOException {
            UploadedPart part = super.uploadPart(upload, number, body);
            parts.add(part);
            return part;
          }
        };
    uploads = new PackUploads(store, new UploadOptions(PART, 3));
  }

  private static void write(PackUpload upload, byte[] bytes, int step) throws IOException {
    for (int at = 0; at < bytes.length; at += step) {
      if (step == 1) {
        upload.write(bytes[at]);
      } else {
        upload.write(bytes, at, Math.min(step, bytes.length - at));
      }
    }
  }

  private void assertStored(byte[] bytes) throws IOException {
    assertThat(store.stat(key).orElseThrow().size()).isEqualTo(bytes.length);
    byte[] stored = new byte[bytes.length];
    if (stored.length > 0) {
      store.read(key, 0, stored, 0, stored.length, Optional.empty());
    }
    assertThat(Arrays.equals(stored, bytes)).isTrue();
  }

  private void assertNothingIsLeft() throws IOException {
    assertThat(store.stat(key)).isEmpty();
    assertThat(store.listMultipart(prefix)).isEmpty();
    assertThat(store.listMultipart(key)).isEmpty(); // MinIO lists them by whole keys only
    assertThat(uploads.buffers().inUse()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1",
    "1, 1",
    "100000, 1",
    "6291455, 65536",
    "6291456, 6291456",
    "6291457, 9000000",
    "12582912, 65537",
    "6291458, 1",
    "25165825, 4097",
    "13000000, 1000",
    "18874369, 100000000",
    "26000000, 7000000"
  })
  void what_was_written_is_stored_in_parts_of_5_MiB_or_more(int size, int step) throws Exception {
    byte[] bytes = RandomBytes.of(size, 1);
    PackUpload upload = uploads.begin(key);
    write(upload, bytes, step);
    upload.close();

    assertThat(upload.count()).isEqualTo(size);
    assertThat(upload.crc32c()).isEqualTo(Crc32c.of(bytes));
    assertStored(bytes);
    assertThat(parts).hasSize(size <= PART ? 0 : (size + PART - 1) / PART);
    assertThat(parts)
        .filteredOn(p -> p.number() < parts.size())
        .allMatch(p -> p.size() >= MIN_PART);
    assertThat(parts).filteredOn(p -> p.number() == parts.size()).allMatch(p -> p.size() > 0);
    assertThat(store.listMultipart(prefix)).isEmpty();
    assertThat(uploads.buffers().inUse()).isZero();
  }

  @Test
  void nothing_exists_before_the_end() throws Exception {
    PackUpload upload = uploads.begin(key);
    write(upload, RandomBytes.of(3 * PART, 1), PART);
    assertThat(store.stat(key)).isEmpty();
    upload.close();
    upload.close();
    assertThat(store.stat(key)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void an_upload_that_is_given_up_or_failed_leaves_nothing(boolean failed) throws Exception {
    PackUpload upload = uploads.begin(key);
    write(upload, RandomBytes.of(2 * PART + 1, 1), PART);
    if (failed) {
      upload.fail(new IOException("the disk with the objects is broken"));
    } else {
      upload.abort();
      assertNothingIsLeft();
      assertThatThrownBy(() -> upload.write(1)).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(upload::close).isInstanceOf(IOException.class);
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_writer_that_is_interrupted_leaves_nothing(boolean closing) throws Exception {
    PackUpload upload = uploads.begin(key);
    byte[] bytes = RandomBytes.of(2 * PART, 1);
    upload.write(bytes, 0, closing ? bytes.length : PART + 1);
    Thread.currentThread().interrupt();
    assertThatThrownBy(closing ? upload::close : () -> write(upload, bytes, 4096))
        .isInstanceOf(InterruptedIOException.class);
    Thread.interrupted();
    if (!closing) {
      assertThatThrownBy(upload::close).isInstanceOf(IOException.class);
    }
    assertNothingIsLeft();
  }

  @Test
  void the_end_of_all_uploads_leaves_nothing_of_those_that_are_open() throws Exception {
    PackUpload upload = uploads.begin(key);
    write(upload, RandomBytes.of(2 * PART + 1, 1), PART);
    uploads.close();
    assertThatThrownBy(() -> upload.write(1)).isInstanceOf(IOException.class);
    assertThatThrownBy(upload::close).isInstanceOf(IOException.class);
    assertNothingIsLeft();
    assertThatThrownBy(() -> write(uploads.begin(key), RandomBytes.of(PART, 1), PART))
        .isInstanceOf(IOException.class);
  }
}

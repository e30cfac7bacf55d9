// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.jgits3.store.GatheredPartsContract.FOR_EVER;
import static org.jgits3.store.GatheredPartsContract.SIZE;
import static org.jgits3.store.GatheredPartsContract.SIZES;
import static org.jgits3.store.GatheredPartsContract.content;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a part that is put together in the store if something goes wrong. */
@Timeout(120)
class GatheredPartFailureTest {
  private static final String KEY = "objects/r/pack/x.pack";

  @TempDir Path directory;
  private final byte[] bytes = content(9 * SIZE + 7, 1);
  private ObjectStore below;

  @BeforeEach
  void open() throws IOException {
    below = new DirectoryObjectStore(directory);
  }

  @AfterEach
  void close() throws IOException {
    below.close();
  }

  private static PackUploads uploads(ObjectStore store, int buffers) {
    return new PackUploads(store, new UploadOptions(SIZE, buffers), FOR_EVER, SIZES);
  }

  private void upload(ObjectStore store, int buffers) throws IOException {
    try (PackUploads uploads = uploads(store, buffers)) {
      try (PackUpload upload = uploads.begin(KEY)) {
        upload.write(bytes);
      } finally {
        assertThat(uploads.buffers().inUse()).isZero();
      }
    }
  }

  private List<String> keys() throws IOException {
    List<String> keys = new ArrayList<>();
    below.list("", object -> keys.add(object.key()));
    return keys;
  }

  private void assertNothingIsLeft() throws IOException {
    assertThat(keys()).isEmpty();
    assertThat(below.listMultipart("")).isEmpty();
  }

  private void assertStored() throws IOException {
    byte[] stored = new byte[bytes.length];
    below.read(KEY, 0, stored, 0, stored.length, Optional.empty());
    assertThat(Arrays.equals(stored, bytes)).isTrue();
  }

  private FaultInjectingObjectStore failing(RequestKind kind, int number, Fault fault) {
    FaultInjectingObjectStore store = new FaultInjectingObjectStore(below, 1, 0);
    Fault[] faults = new Fault[number];
    Arrays.fill(faults, Fault.NONE);
    faults[number - 1] = fault;
    store.script(kind, faults);
    return store;
  }

  @ParameterizedTest
  @CsvSource({
    "PUT, 1, FAIL_BEFORE",
    "PUT, 2, FAIL_AFTER",
    "PUT, 6, FAIL_AFTER",
    "READ, 1, FAIL_BEFORE",
    "READ, 3, FAIL_BEFORE",
    "READ, 6, FAIL_BEFORE",
    "PART, 3, FAIL_BEFORE",
    "PART, 3, FAIL_AFTER",
    "PART, 5, FAIL_AFTER"
  })
  void a_request_without_an_answer_fails_the_upload_and_leaves_nothing(
      RequestKind kind, int number, Fault fault) throws Exception {
    for (int buffers : new int[] {1, 2}) {
      assertThatThrownBy(() -> upload(failing(kind, number, fault), buffers))
          .isInstanceOf(StoreException.Unavailable.class);
      assertNothingIsLeft();
    }
  }

  @ParameterizedTest
  @CsvSource({"PUT, 2", "READ, 2", "PART, 3", "DELETE, 1"})
  void a_request_that_arrives_twice_changes_nothing(RequestKind kind, int number) throws Exception {
    upload(failing(kind, number, Fault.TWICE), 1);
    assertStored();
    assertThat(keys()).containsExactly(KEY);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void what_was_not_deleted_is_deleted_in_the_end(int number) throws Exception {
    upload(failing(RequestKind.DELETE, number, Fault.FAIL_BEFORE), 1);
    assertStored();
    assertThat(keys()).containsExactly(KEY);
  }

  @Test
  void a_failure_tells_that_pieces_may_be_left() throws Exception {
    FaultInjectingObjectStore store = failing(RequestKind.READ, 1, Fault.FAIL_BEFORE);
    store.script(RequestKind.DELETE, Fault.FAIL_BEFORE, Fault.FAIL_BEFORE);
    Throwable failure = catchThrowable(() -> upload(store, 1));
    assertThat(failure.getSuppressed())
        .anySatisfy(left -> assertThat(left).hasMessageContaining(KEY + ".parked-"));
    assertThat(keys()).isNotEmpty().allMatch(key -> key.startsWith(KEY + ".parked-"));
  }

  @Test
  void a_piece_that_changed_fails_the_upload() throws Exception {
    ObjectStore store =
        new DelegatingObjectStore(below) {
          @Override
          public Validator read(
              String key, long offset, byte[] dst, int at, int n, Optional<Validator> expected)
              throws IOException {
            Validator version = super.read(key, offset, dst, at, n, expected);
            dst[at + n / 2] ^= 1;
            return version;
          }
        };
    assertThatThrownBy(() -> upload(store, 2))
        .isInstanceOf(StoreException.Corrupt.class)
        .hasMessageContaining(KEY + ".parked-");
    assertNothingIsLeft();
  }

  @Test
  void a_writer_that_is_interrupted_while_such_a_part_is_sent_leaves_nothing() throws Exception {
    Thread writer = Thread.currentThread();
    ObjectStore store =
        new DelegatingObjectStore(below) {
          @Override
          public Validator read(
              String key, long offset, byte[] dst, int at, int n, Optional<Validator> expected)
              throws IOException {
            writer.interrupt();
            return super.read(key, offset, dst, at, n, expected);
          }
        };
    assertThatThrownBy(() -> upload(store, 1)).isInstanceOf(InterruptedIOException.class);
    Thread.interrupted();
    assertNothingIsLeft();
  }

  @Test
  void a_part_that_is_being_sent_ends_early_when_the_upload_is_given_up() throws Exception {
    RequestCounts counts = new RequestCounts();
    CountDownLatch reading = new CountDownLatch(1);
    AtomicBoolean stopping = new AtomicBoolean();
    Thread giver = Thread.currentThread();
    ObjectStore store =
        new DelegatingObjectStore(new ObservedObjectStore(below, counts)) {
          @Override
          public Validator read(
              String key, long offset, byte[] dst, int at, int n, Optional<Validator> expected)
              throws IOException {
            reading.countDown();
            while (!stopping.get() || giver.getState() != Thread.State.WAITING) {
              Thread.onSpinWait(); // until it waits for this part to end
            }
            return super.read(key, offset, dst, at, n, expected);
          }
        };
    try (PackUploads uploads = uploads(store, 2)) {
      PackUpload upload = uploads.begin(KEY);
      upload.write(bytes, 0, 7 * SIZE);
      reading.await();
      stopping.set(true);
      upload.abort();
      assertThat(uploads.buffers().inUse()).isZero();
    }
    assertThat(counts.snapshot().of(RequestKind.READ)).isEqualTo(1);
    assertNothingIsLeft();
  }

  @Test
  void a_store_with_one_connection_is_told_so_before_it_would_stand_still() throws Exception {
    ObjectStore store =
        new DelegatingObjectStore(below) {
          @Override
          public int connections() {
            return 1;
          }
        };
    assertThatThrownBy(() -> upload(store, 2))
        .hasMessageContaining("upload of " + KEY)
        .hasMessageContaining("set [s3] connections to 2 or more");
    assertNothingIsLeft();
  }

  @Seeds(6)
  void at_random_it_is_whole_or_a_failure(long seed) throws Exception {
    Throwable failure =
        catchThrowable(() -> upload(new FaultInjectingObjectStore(below, seed, 0.05), 3));
    if (failure == null || below.stat(KEY).isPresent()) {
      assertStored();
    }
  }
}

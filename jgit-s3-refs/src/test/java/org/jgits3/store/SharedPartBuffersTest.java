// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jgits3.store.ConcurrentTasks.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many uploads at once in bounded memory, all of which end. */
@Timeout(120)
class SharedPartBuffersTest {
  private static final int PART = UploadOptions.MIN_PART_SIZE;
  private static final Duration NONE = Duration.ofMillis(1);
  private static final Duration FOR_EVER = Duration.ofDays(1);

  @TempDir Path directory;

  private static byte[] content(int size, int seed) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static String key(int stream) {
    return "objects/r/pack/" + stream + ".pack";
  }

  @ParameterizedTest
  @CsvSource({"1, 8", "8, 8", "40, 8", "40, 3", "8, 1"})
  void streams_at_once_take_no_more_than_the_buffers_and_all_end(int streams, int buffers)
      throws Exception {
    PartStore store = new PartStore();
    int size = 5 * PART + 12_345;
    byte[] bytes = content(PART, 1);
    try (PackUploads uploads = new PackUploads(store, new UploadOptions(PART, buffers), FOR_EVER)) {
      ConcurrentTasks.run(
          streams,
          stream -> {
            try (PackUpload upload = uploads.begin(key(stream))) {
              Random steps = new Random(stream);
              for (int left = size; left > 0; ) {
                int n = Math.min(left, 1 + steps.nextInt(1 << 20));
                upload.write(bytes, 0, n);
                left -= n;
                assertThat(uploads.buffers().allocated()).isLessThanOrEqualTo(buffers);
              }
            }
          });
      assertThat(uploads.buffers().mostInUse()).isBetween(1, buffers);
      assertThat(uploads.buffers().allocated()).isZero();
    }
    for (int stream = 0; stream < streams; stream++) {
      List<UploadedPart> parts = store.parts(key(stream));
      assertThat(parts.stream().mapToLong(UploadedPart::size).sum()).isEqualTo(size);
      assertThat(parts.subList(0, parts.size() - 1)).allMatch(p -> p.size() >= PART);
    }
    assertThat(store.listMultipart("")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "1, 5", "3, 9"})
  void one_thread_can_write_to_more_streams_than_there_are_buffers(int buffers, int streams)
      throws Exception {
    int size = 2 * PART + 777;
    try (ObjectStore store = new DirectoryObjectStore(directory);
        PackUploads uploads = new PackUploads(store, new UploadOptions(PART, buffers), NONE)) {
      List<byte[]> contents = IntStream.range(0, streams).mapToObj(i -> content(size, i)).toList();
      List<PackUpload> open =
          IntStream.range(0, streams).mapToObj(i -> uploads.begin(key(i))).toList();
      for (int at = 0; at < size; at += 1 << 20) {
        for (int i = 0; i < streams; i++) {
          open.get(i).write(contents.get(i), at, Math.min(1 << 20, size - at));
        }
      }
      for (PackUpload upload : open) {
        upload.close();
      }
      assertThat(uploads.buffers().mostInUse()).isLessThanOrEqualTo(buffers);
      for (int i = 0; i < streams; i++) {
        assertStored(store, i, contents.get(i));
      }
      assertOnlyObjects(store, streams);
    }
  }

  private static void assertStored(ObjectStore store, int stream, byte[] bytes) throws IOException {
    assertThat(store.stat(key(stream)).orElseThrow().size()).isEqualTo(bytes.length);
    byte[] stored = new byte[bytes.length];
    store.read(key(stream), 0, stored, 0, stored.length, Optional.empty());
    assertThat(Arrays.equals(stored, bytes)).isTrue();
  }

  /** Nothing that was put aside is left. */
  private static void assertOnlyObjects(ObjectStore store, int objects) throws IOException {
    List<String> keys = new ArrayList<>();
    store.list("", object -> keys.add(object.key()));
    assertThat(keys).hasSize(objects);
    assertThat(store.listMultipart("")).isEmpty();
  }

  @Test
  void streams_whose_writers_stall_starve_nobody_and_go_on_later() throws Exception {
    int stalled = 300_000;
    int nearlyFull = PART - 10;
    try (ObjectStore store = new DirectoryObjectStore(directory);
        PackUploads uploads = new PackUploads(store, new UploadOptions(PART, 2), NONE)) {
      byte[] first = content(stalled + PART, 1);
      byte[] second = content(nearlyFull + 20, 2);
      PackUpload one = uploads.begin(key(1));
      PackUpload two = uploads.begin(key(2));
      one.write(first, 0, stalled);
      two.write(second, 0, nearlyFull);
      assertThat(uploads.buffers().inUse()).isEqualTo(2);

      byte[] third = content(4 * PART, 3);
      try (PackUpload busy = uploads.begin(key(3))) {
        busy.write(third);
      }
      assertStored(store, 3, third);

      one.write(first, stalled, PART);
      two.write(second, nearlyFull, 20);
      one.close();
      two.close();
      assertStored(store, 1, first);
      assertStored(store, 2, second);
      assertOnlyObjects(store, 3);
      assertThat(uploads.buffers().inUse()).isZero();
    }
  }

  @Test
  void a_stalled_stream_that_is_given_up_leaves_nothing() throws Exception {
    try (ObjectStore store = new DirectoryObjectStore(directory);
        PackUploads uploads = new PackUploads(store, new UploadOptions(PART, 1), NONE)) {
      PackUpload stalled = uploads.begin(key(1));
      stalled.write(content(300_000, 1));
      try (PackUpload busy = uploads.begin(key(2))) {
        busy.write(content(PART, 2));
      }
      stalled.abort();
      assertOnlyObjects(store, 1);
    }
  }

  @Test
  void tiny_streams_take_no_buffer() throws Exception {
    PartStore store = new PartStore();
    try (PackUploads uploads = new PackUploads(store, new UploadOptions(PART, 1), FOR_EVER)) {
      List<PackUpload> open = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        PackUpload upload = uploads.begin(key(i));
        upload.write(content(PackUpload.OWN_BYTES, i));
        open.add(upload);
      }
      assertThat(uploads.buffers().allocated()).isZero();
      for (PackUpload upload : open) {
        upload.close();
      }
      assertThat(uploads.buffers().mostInUse()).isZero();
      assertThat(store.stat(key(99)).orElseThrow().size()).isEqualTo(PackUpload.OWN_BYTES);
    }
  }

  @Test
  void parts_of_one_stream_are_in_flight_together() throws Exception {
    int buffers = 4;
    Semaphore arrived = new Semaphore(0);
    CountDownLatch go = new CountDownLatch(1);
    PartStore store =
        new PartStore() {
          @Override
          public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
              throws IOException {
            arrived.release();
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            return super.uploadPart(upload, number, body);
          }
        };
    try (PackUploads uploads = new PackUploads(store, new UploadOptions(PART, buffers), FOR_EVER)) {
      ConcurrentTasks.run(
          List.<Task>of(
              () -> {
                try (PackUpload upload = uploads.begin(key(1))) {
                  upload.write(content((buffers + 2) * PART, 1));
                }
              },
              () -> {
                arrived.acquire(buffers);
                go.countDown();
              }));
      assertThat(store.parts(key(1))).hasSize(buffers + 2);
      assertThat(uploads.buffers().mostInUse()).isEqualTo(buffers);
    }
  }

  @Test
  void a_buffer_that_comes_back_goes_to_the_stream_that_holds_fewest() throws Exception {
    PartBuffers buffers = new PartBuffers(new UploadOptions(PART, 3), FOR_EVER);
    PartBuffers.Share rich = buffers.share(() -> false);
    PartBuffers.Share poor = buffers.share(() -> false);
    PartBuffers.Share third = buffers.share(() -> false);
    List<byte[]> ofRich = List.of(rich.take(), rich.take());
    List<byte[]> ofThird = List.of(third.take());
    assertThat(poor.tryTake()).isEmpty();

    AtomicReference<String> first = new AtomicReference<>();
    CountDownLatch decided = new CountDownLatch(1);
    ConcurrentTasks.run(
        List.<Task>of(
            () -> {
              byte[] buffer = rich.take();
              first.compareAndSet(null, "rich");
              rich.give(List.of(buffer));
            },
            () -> {
              awaitWaiting(buffers, 1);
              byte[] buffer = poor.take();
              first.compareAndSet(null, "poor");
              decided.countDown();
              poor.give(List.of(buffer));
            },
            () -> {
              awaitWaiting(buffers, 2);
              third.give(ofThird);
              decided.await();
            }));
    assertThat(first).hasValue("poor");
    rich.give(ofRich);
    assertThat(buffers.inUse()).isZero();
  }

  @Test
  void buffers_that_a_stream_has_lost_are_there_for_others_when_it_has_ended() throws Exception {
    PartBuffers buffers = new PartBuffers(new UploadOptions(PART, 2), FOR_EVER);
    PartBuffers.Share loser = buffers.share(() -> false);
    PartBuffers.Share other = buffers.share(() -> false);
    assertThat(List.of(loser.take(), loser.take())).hasSize(2);
    ConcurrentTasks.run(
        List.<Task>of(
            () -> other.give(List.of(other.take(), other.take())),
            () -> {
              awaitWaiting(buffers, 1);
              loser.close();
            }));
    assertThat(buffers.inUse()).isZero();
    assertThat(buffers.allocated()).isEqualTo(2);
    other.close();
    assertThat(buffers.allocated()).isZero();
  }

  @Test
  void a_stream_that_another_one_made_give_way_without_memory_for_it_fails() throws Exception {
    try (ObjectStore below = new DirectoryObjectStore(directory)) {
      AtomicReference<Error> next = new AtomicReference<>(new OutOfMemoryError("as if"));
      ObjectStore store =
          new DelegatingObjectStore(below) {
            @Override
            public void put(String key, byte[] src, int offset, int length) throws IOException {
              Error e = next.getAndSet(null);
              if (e != null) {
                throw e;
              }
              super.put(key, src, offset, length);
            }
          };
      try (PackUploads uploads = new PackUploads(store, new UploadOptions(PART, 1), NONE)) {
        PackUpload stalled = uploads.begin(key(1));
        stalled.write(content(300_000, 1));
        PackUpload busy = uploads.begin(key(2));
        assertThatThrownBy(() -> busy.write(content(PART, 2))).hasMessage("as if");
        assertThatThrownBy(stalled::close).hasMessageContaining("failed before");
        assertThat(uploads.buffers().inUse()).isZero();
        assertOnlyObjects(store, 0);
      }
    }
  }

  private static void awaitWaiting(PartBuffers buffers, int streams) {
    while (buffers.waiting() < streams) {
      Thread.onSpinWait();
    }
  }

  @Test
  void the_end_of_all_uploads_wakes_those_that_wait() throws Exception {
    PartStore store = new PartStore();
    PackUploads uploads = new PackUploads(store, new UploadOptions(PART, 1), FOR_EVER);
    PackUpload holder = uploads.begin(key(1));
    holder.write(content(PART, 1));
    ConcurrentTasks.run(
        List.<Task>of(
            () ->
                assertThatThrownBy(() -> uploads.begin(key(2)).write(content(PART, 2)))
                    .hasMessageContaining("being closed"),
            () -> {
              awaitWaiting(uploads.buffers(), 1);
              uploads.close();
            }));
    assertThatThrownBy(holder::close).isInstanceOf(IOException.class);
    assertThat(uploads.buffers().inUse()).isZero();
    assertThat(store.listMultipart("")).isEmpty();
  }
}

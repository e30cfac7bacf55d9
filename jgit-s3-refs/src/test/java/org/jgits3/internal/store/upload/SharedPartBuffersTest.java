// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.ConcurrentTasks.Task;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.PartBody;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many uploads at once in bounded memory, all of which end. */
@Holds("PartBuffers: All uploads share the configured buffers, and each one ends")
@Holds(
    "PartsInFlight: No part buffer or count of parts is lost: each is given back exactly once, "
        + "after the last attempt to send it, even in a full heap or after a cancelled collection")
@Timeout(120)
class SharedPartBuffersTest {
  private static final int PART = UploadOptions.MIN_PART_SIZE;

  private static String key(int stream) {
    return "objects/r/pack/" + stream + ".pack";
  }

  @ParameterizedTest
  @CsvSource({"1, 8", "8, 8", "40, 8", "40, 3", "8, 1"})
  void streams_at_once_take_no_more_than_the_buffers_and_all_end(int streams, int buffers)
      throws Exception {
    PartStore store = new PartStore();
    int size = 5 * PART + 12_345;
    byte[] bytes = RandomBytes.of(PART, 1);
    try (PackUploads uploads = new PackUploads(store, new UploadOptions(PART, buffers))) {
      ConcurrentTasks.run(
          streams,
          stream -> {
            try (PackUpload upload = uploads.begin(key(stream))) {
              SplittableRandom steps = new SplittableRandom(stream);
              for (int left = size; left > 0; ) {
                int n = Math.min(left, 1 + steps.nextInt(1 << 20));
                upload.write(bytes, 0, n);
                left -= n;
                assertThat(uploads.buffers().allocated()).isLessThanOrEqualTo(buffers);
              }
            }
          });
      assertThat(uploads.buffers().allocated()).isZero();
    }
    for (int stream = 0; stream < streams; stream++) {
      List<UploadedPart> parts = store.parts(key(stream));
      assertThat(parts.stream().mapToLong(UploadedPart::size).sum()).isEqualTo(size);
      assertThat(parts.subList(0, parts.size() - 1)).allMatch(p -> p.size() >= PART);
    }
    assertThat(store.listMultipart("")).isEmpty();
  }

  @Test
  void tiny_streams_take_no_buffer() throws Exception {
    PartStore store = new PartStore();
    try (PackUploads uploads = new PackUploads(store, new UploadOptions(PART, 1))) {
      List<PackUpload> open = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        PackUpload upload = uploads.begin(key(i));
        upload.write(RandomBytes.of(PackUpload.OWN_BYTES, i));
        open.add(upload);
      }
      assertThat(uploads.buffers().allocated()).isZero();
      for (PackUpload upload : open) {
        upload.close();
      }
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
    try (PackUploads uploads = new PackUploads(store, new UploadOptions(PART, buffers))) {
      ConcurrentTasks.run(
          List.<Task>of(
              () -> {
                try (PackUpload upload = uploads.begin(key(1))) {
                  upload.write(RandomBytes.of((buffers + 2) * PART, 1));
                }
              },
              () -> {
                arrived.acquire(buffers);
                assertThat(uploads.buffersInUse()).isEqualTo(buffers);
                go.countDown();
              }));
      assertThat(store.parts(key(1))).hasSize(buffers + 2);
    }
  }

  @Test
  void a_buffer_that_comes_back_goes_to_the_upload_that_has_waited_longest() throws Exception {
    PartBuffers buffers = new PartBuffers(new UploadOptions(PART, 1));
    List<byte[]> held = new ArrayList<>();
    buffers.take(held);
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int place = i;
      tasks.add(
          () -> {
            awaitWaiting(buffers, place);
            List<byte[]> got = new ArrayList<>();
            buffers.take(got);
            order.add(place);
            buffers.give(got);
          });
    }
    tasks.add(
        () -> {
          awaitWaiting(buffers, 4);
          buffers.give(held);
        });
    ConcurrentTasks.run(tasks);
    assertThat(order).containsExactly(0, 1, 2, 3);
    assertThat(buffers.inUse()).isZero();
  }

  @Test
  void a_buffer_is_given_back_once() throws Exception {
    PartBuffers buffers = new PartBuffers(new UploadOptions(PART, 2));
    List<byte[]> held = new ArrayList<>();
    buffers.take(held);
    buffers.give(held);
    buffers.give(held);
    assertThat(buffers.inUse()).isZero();
    assertThat(buffers.allocated()).isEqualTo(1);
    assertThat(buffers.held()).isEqualTo(PART);
    buffers.clear();
    assertThat(buffers.allocated()).isZero();
    assertThat(buffers.held()).isZero();
  }

  @Holds(
      "PackUploads, PackUpload: Parts but the last have at least 5 MiB. An upload that needs more "
          + "than 10,000 fails and names the setting, at once if its length is known.")
  @Test
  void an_upload_that_needs_more_parts_than_there_are_says_what_to_set() throws Exception {
    PartStore store = new PartStore();
    UploadOptions options = new UploadOptions(PART, 3);
    try (PackUploads uploads = new PackUploads(store, options, 4)) {
      byte[] bytes = new byte[4 * PART];
      try (PackUpload largest = uploads.begin(key(1), bytes.length)) {
        largest.write(bytes);
      }
      PackUpload upload = uploads.begin(key(2));
      upload.write(bytes);
      assertThatThrownBy(() -> upload.write(bytes))
          .hasMessageContaining("upload of " + key(2))
          .hasMessageContaining("partSize = 5242880")
          .hasMessageContaining("set partSize higher");
      PackUpload longer = uploads.begin(key(4));
      longer.write(bytes);
      longer.write(1);
      assertThatThrownBy(longer::close).hasMessageContaining("upload of " + key(4));
      assertThatThrownBy(() -> uploads.begin(key(3), bytes.length + 1))
          .hasMessage(
              key(3)
                  + " is not begun: 20,971,521 bytes are more than fit in parts of"
                  + " [s3 \"upload\"] partSize = 5242880, which hold at most 20,971,520 bytes;"
                  + " set partSize higher");
      assertThat(store.listMultipart("")).isEmpty();
      assertThat(uploads.buffersInUse()).isZero();
    }
  }

  private static void awaitWaiting(PartBuffers buffers, int streams) {
    ConcurrentTasks.waitWhile(() -> buffers.waiting() < streams);
  }

  @Test
  void the_end_of_all_uploads_wakes_those_that_wait() throws Exception {
    PartStore store = new PartStore();
    PackUploads uploads = new PackUploads(store, new UploadOptions(PART, 1));
    PackUpload holder = uploads.begin(key(1));
    holder.write(RandomBytes.of(PART, 1));
    ConcurrentTasks.run(
        List.<Task>of(
            () ->
                assertThatThrownBy(() -> uploads.begin(key(2)).write(RandomBytes.of(PART, 2)))
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

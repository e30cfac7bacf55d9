// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Holds(
    "ReadAhead: Read-ahead is bounded over all streams, and each stream continues with one buffer")
@Timeout(300) // requests wait for each other
class ReadAheadTest {
  private static final String KEY = "a/b";
  private static final int CHUNK = 1000;
  private static final int MEMORY = ReadAhead.IN_FLIGHT * CHUNK;

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  private final Semaphore budget = new Semaphore(MEMORY);
  private final byte[] bytes = new byte[8 * CHUNK];
  @AutoClose private ObjectStore store;

  @BeforeEach
  void open() throws IOException {
    store = new ObservedObjectStore(new DirectoryObjectStore(directory), counts);
    new Random(3).nextBytes(bytes);
    store.put(KEY, bytes, 0, bytes.length);
  }

  private static ReadAhead.Source of(ObjectStore from) {
    return (offset, dst, at, length) -> from.read(KEY, offset, dst, at, length, Optional.empty());
  }

  private static byte[] all(ReadAhead reader, int piece) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteBuffer buffer = ByteBuffer.allocate(piece);
    while (reader.read(out.size(), buffer) > 0) {
      out.write(buffer.array(), 0, buffer.position());
      buffer.clear();
    }
    return out.toByteArray();
  }

  @Test
  void a_stream_has_four_requests_in_flight_and_reads_nothing_twice() throws Exception {
    try (RoundsObjectStore rounds = new RoundsObjectStore(store, ReadAhead.IN_FLIGHT);
        ReadAhead reader = new ReadAhead(of(rounds), 1, bytes.length, MEMORY, budget)) {
      rounds.gate();
      assertThat(all(reader, 300)).isEqualTo(bytes);
      assertThat(rounds.count()).isEqualTo(2);
    }
    assertThat(counts.snapshot().of(RequestKind.READ)).isEqualTo(8);
    assertThat(counts.snapshot().bytes().get(RequestKind.READ)).isEqualTo(bytes.length);
  }

  @Test
  void buffers_of_all_readers_stay_within_the_budget_and_each_reader_has_one() throws Exception {
    try (ReadAhead first = new ReadAhead(of(store), 1, bytes.length, MEMORY, budget);
        ReadAhead second = new ReadAhead(of(store), 1, bytes.length, MEMORY, budget);
        ReadAhead third = new ReadAhead(of(store), 1, bytes.length, MEMORY, budget)) {
      first.read(0, ByteBuffer.allocate(1));
      assertThat(budget.availablePermits()).isEqualTo(MEMORY - 3 * CHUNK);
      second.read(0, ByteBuffer.allocate(1));
      assertThat(budget.availablePermits()).isEqualTo(MEMORY - 4 * CHUNK);
      assertThat(all(third, 700)).isEqualTo(bytes);
      assertThat(budget.availablePermits()).isEqualTo(MEMORY - 4 * CHUNK);
      assertThat(all(second, 700)).isEqualTo(bytes);
    }
    assertThat(budget.availablePermits()).isEqualTo(MEMORY);
  }

  @Test
  void it_can_be_positioned_anywhere() throws Exception {
    Random random = new Random(11);
    try (ReadAhead reader = new ReadAhead(of(store), 1, bytes.length, MEMORY, budget)) {
      for (int i = 0; i < 500; i++) {
        int position = random.nextInt(bytes.length);
        ByteBuffer dst = ByteBuffer.allocate(1 + random.nextInt(2 * CHUNK));
        int n = reader.read(position, dst);
        assertThat(n).isPositive();
        assertThat(Arrays.copyOf(dst.array(), n))
            .isEqualTo(Arrays.copyOfRange(bytes, position, position + n));
      }
      assertThat(reader.read(bytes.length, ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  @Test
  void a_skip_within_what_was_read_ahead_makes_no_request_again() throws Exception {
    try (ReadAhead reader = new ReadAhead(of(store), 1, bytes.length, MEMORY, budget)) {
      for (long chunk = 0; chunk < 8; chunk += 2) {
        reader.read(chunk * CHUNK, ByteBuffer.allocate(10));
      }
    }
    assertThat(counts.snapshot().of(RequestKind.READ)).isLessThanOrEqualTo(8);
  }

  @Test
  void what_failed_once_can_be_read_again() throws Exception {
    FaultInjectingObjectStore faulty = new FaultInjectingObjectStore(store, 1, 0);
    faulty.script(RequestKind.READ, Fault.FAIL_BEFORE);
    try (ReadAhead reader = new ReadAhead(of(faulty), 1, bytes.length, CHUNK, new Semaphore(0))) {
      assertThatThrownBy(() -> all(reader, CHUNK)).isInstanceOf(StoreException.class);
      assertThat(all(reader, CHUNK)).isEqualTo(bytes);
    }
  }

  @Test
  void nothing_is_in_flight_after_it_was_closed() throws Exception {
    AtomicInteger inFlight = new AtomicInteger();
    ObjectStore watched =
        new DelegatingObjectStore(store) {
          @Override
          public ObjectVersion read(ReadRequest range) throws IOException {
            inFlight.incrementAndGet();
            try {
              return super.read(range);
            } finally {
              inFlight.decrementAndGet();
            }
          }
        };
    for (int i = 0; i < 50; i++) {
      ReadAhead reader = new ReadAhead(of(watched), 1, bytes.length, MEMORY, budget);
      reader.read(0, ByteBuffer.allocate(1));
      reader.close();
      assertThat(inFlight).hasValue(0);
    }
    assertThat(budget.availablePermits()).isEqualTo(MEMORY);
  }
}

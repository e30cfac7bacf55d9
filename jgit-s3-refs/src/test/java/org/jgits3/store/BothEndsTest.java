// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jgits3.store.BothEnds.Pace;
import org.jgits3.store.BothEnds.Plan;
import org.jgits3.store.RangeReader.Large;
import org.jgits3.store.RangeReader.Sizes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Large reads from both ends. How fast a front is has no part in these tests: nothing is slow
 * enough for the others to join, or everything is, and where they have to have come first they are
 * waited for.
 */
@Timeout(120)
class BothEndsTest {
  private static final String KEY = "a/b";
  private static final int SIZE = 10_000_000;
  private static final int PIECE = 1_000_000;

  private static final Pace FAST = (came, nanos) -> 0;
  private static final Pace SLOW = (came, nanos) -> BothEnds.MOST;

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  private ObjectStore store;
  private byte[] bytes;

  @BeforeEach
  void write() throws IOException {
    store = new ObservedObjectStore(new DirectoryObjectStore(directory), counts);
    bytes = new byte[SIZE];
    new Random(SIZE).nextBytes(bytes);
    store.put(KEY, bytes, 0, SIZE);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private static RangeReader reader(ObjectStore from, Pace pace) {
    return reader(from, 1, PIECE, Duration.ofNanos(1), pace);
  }

  private static RangeReader reader(
      ObjectStore from, int least, int piece, Duration interval, Pace pace) {
    Large large = new Large(least, new Plan(piece, interval), () -> pace);
    return new RangeReader(from, new Sizes(100, SIZE), true, large);
  }

  /** A store whose first read of the beginning can be held up. */
  private abstract class Held extends DelegatingObjectStore {
    final AtomicInteger joined = new AtomicInteger();

    Held() {
      super(store);
    }

    /** What happens at the front: before anything was read, and after each piece of it. */
    abstract void atFront(int end) throws IOException;

    /** What happens before a piece is read that another has taken. */
    abstract void atBack(long offset) throws IOException;

    @Override
    public Validator read(
        String key,
        long offset,
        byte[] dst,
        int dstOffset,
        int length,
        Optional<Validator> expected,
        Arrival arrival)
        throws IOException {
      if (offset > 0) {
        joined.incrementAndGet();
        atBack(offset);
        return store.read(key, offset, dst, dstOffset, length, expected, arrival);
      }
      atFront(dstOffset);
      return store.read(
          key,
          offset,
          dst,
          dstOffset,
          length,
          expected,
          new Arrival() {
            @Override
            public void begins(Validator version) {
              arrival.begins(version);
            }

            @Override
            public void until(int end) {
              arrival.until(end);
              try {
                atFront(end);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            }

            @Override
            public boolean enough() {
              return arrival.enough();
            }
          });
    }

    @Override
    public void close() {}
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void until(BooleanSupplier condition) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      if (Thread.interrupted() || System.nanoTime() > deadline) { // nobody interrupts the others
        throw new InterruptedIOException();
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void one_request_is_all_while_it_is_fast() throws Exception {
    byte[] dst = new byte[SIZE];
    Validator version = reader(store, FAST).read(KEY, 0, dst, 0, SIZE);
    assertThat(dst).isEqualTo(bytes);
    assertThat(version).isEqualTo(store.stat(KEY).orElseThrow().validator());
    assertThat(counts.snapshot().of(RequestKind.READ)).isEqualTo(1);
  }

  @Test
  void others_join_a_slow_one_and_what_they_have_read_it_does_not() throws Exception {
    CountDownLatch others = new CountDownLatch(Gang.SIZE - 1);
    Held held =
        new Held() {
          @Override
          void atFront(int end) throws IOException {
            await(others);
          }

          @Override
          void atBack(long offset) {
            others.countDown();
          }
        };
    byte[] dst = new byte[SIZE + 20];
    Validator version = reader(held, SLOW).read(KEY, 0, dst, 10, SIZE);
    assertThat(Arrays.copyOfRange(dst, 10, SIZE + 10)).isEqualTo(bytes);
    assertThat(Arrays.copyOf(dst, 10)).containsOnly(0);
    assertThat(Arrays.copyOfRange(dst, SIZE + 10, SIZE + 20)).containsOnly(0);
    assertThat(version).isEqualTo(store.stat(KEY).orElseThrow().validator());
    assertThat(counts.snapshot().of(RequestKind.READ)).isEqualTo(1 + held.joined.get());
    // twice is read at most what a directory reads at once
    assertThat(counts.snapshot().bytes().get(RequestKind.READ))
        .isBetween((long) SIZE, SIZE + (256L << 10));
  }

  @Test
  void nobody_takes_less_than_a_piece_or_what_is_read_soon() throws Exception {
    AtomicInteger left = new AtomicInteger(SIZE);
    CountDownLatch allTaken = new CountDownLatch(1);
    Held held =
        new Held() {
          @Override
          void atFront(int end) throws IOException {
            await(allTaken);
          }

          @Override
          void atBack(long offset) {
            assertThat(left.updateAndGet(least -> Math.min(least, (int) offset)))
                .isGreaterThanOrEqualTo(PIECE);
            if (offset < 2 * PIECE) {
              allTaken.countDown();
            }
          }
        };
    byte[] dst = new byte[SIZE];
    reader(held, SLOW).read(KEY, 0, dst, 0, SIZE);
    assertThat(dst).isEqualTo(bytes);
    assertThat(held.joined).hasValueBetween(Gang.SIZE - 1, SIZE / PIECE - 1);
  }

  @Test
  void any_part_of_an_object_lands_the_same_however_slow_it_is() throws Exception {
    Random random = new Random(5);
    for (int i = 0; i < 100; i++) {
      int offset = random.nextInt(SIZE - 1);
      int length = 1 + random.nextInt(SIZE - offset);
      byte[] dst = new byte[length];
      Random others = new Random(i);
      Pace pace = (came, nanos) -> others.nextInt(BothEnds.MOST + 1);
      int piece = 1 + random.nextInt(PIECE);
      reader(store, 1, piece, Duration.ofNanos(1), pace).read(KEY, offset, dst, 0, length);
      assertThat(Arrays.equals(dst, 0, length, bytes, offset, offset + length))
          .as("%d from %d, pieces of %d", length, offset, piece)
          .isTrue();
    }
  }

  @Test
  void an_object_that_is_replaced_meanwhile_has_changed_also_by_a_shorter_one() throws Exception {
    for (int size : new int[] {SIZE, SIZE / 2}) {
      store.put(KEY, bytes, 0, SIZE);
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch replaced = new CountDownLatch(1);
      Held held =
          new Held() {
            @Override
            void atFront(int end) throws IOException {
              if (end > 0) {
                begun.countDown();
                await(replaced);
              }
            }

            @Override
            void atBack(long offset) throws IOException {
              await(begun);
              synchronized (replaced) {
                if (replaced.getCount() > 0) {
                  store.put(KEY, new byte[size], 0, size);
                  replaced.countDown();
                }
              }
            }
          };
      assertThatThrownBy(() -> reader(held, SLOW).read(KEY, 0, new byte[SIZE], 0, SIZE))
          .as("replaced by %d bytes", size)
          .isInstanceOf(StoreException.Changed.class)
          .hasMessageContaining(KEY);
    }
  }

  @Test
  void a_failure_at_the_back_is_that_of_the_read_and_ends_the_front() throws Exception {
    StoreException failure = new StoreException.Corrupt(KEY, "too short", null);
    CountDownLatch failed = new CountDownLatch(1);
    Held held =
        new Held() {
          @Override
          void atFront(int end) throws IOException {
            if (end > 0) {
              await(failed);
            }
          }

          @Override
          void atBack(long offset) throws IOException {
            failed.countDown();
            throw failure;
          }
        };
    assertThatThrownBy(() -> reader(held, SLOW).read(KEY, 0, new byte[SIZE], 0, SIZE))
        .isSameAs(failure);
  }

  /** A store that others do not reach, and the caller only if that is said. */
  private Held unreached(boolean alsoByCaller) {
    CountDownLatch all = new CountDownLatch(BothEnds.MOST);
    Thread caller = Thread.currentThread();
    return new Held() {
      @Override
      void atFront(int end) throws IOException {
        await(all);
      }

      @Override
      void atBack(long offset) throws IOException {
        if (alsoByCaller || Thread.currentThread() != caller) {
          all.countDown();
          await(all);
          throw new StoreException.Unavailable(KEY, "no connection", null);
        }
      }
    };
  }

  @Test
  void what_others_do_not_get_is_read_by_the_caller_and_nobody_joins_any_more() throws Exception {
    Held held = unreached(false);
    byte[] dst = new byte[SIZE];
    reader(held, SLOW).read(KEY, 0, dst, 0, SIZE);
    assertThat(dst).isEqualTo(bytes);
    assertThat(held.joined)
        .as("tried by others and then by the caller")
        .hasValue(2 * BothEnds.MOST);
  }

  @Test
  void what_the_caller_does_not_get_either_fails_the_read() {
    Held held = unreached(true);
    assertThatThrownBy(() -> reader(held, SLOW).read(KEY, 0, new byte[SIZE], 0, SIZE))
        .isInstanceOf(StoreException.Unavailable.class)
        .hasMessageContaining("no connection");
    assertThat(held.joined).hasValue(BothEnds.MOST + 1);
  }

  @Test
  void a_read_that_fails_returns_when_no_other_thread_writes_any_more() throws Exception {
    StoreException failure = new StoreException.Unavailable(KEY, "no answer", null);
    CountDownLatch others = new CountDownLatch(Gang.SIZE - 1);
    CountDownLatch failed = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    AtomicBoolean returned = new AtomicBoolean();
    AtomicInteger writing = new AtomicInteger();
    AtomicBoolean interruptedBefore = new AtomicBoolean();
    Held held =
        new Held() {
          @Override
          void atFront(int end) throws IOException {
            await(others);
            interruptedBefore.set(true);
            Thread.currentThread().interrupt();
            failed.countDown();
            throw failure;
          }

          @Override
          void atBack(long offset) throws IOException {
            writing.incrementAndGet();
            others.countDown();
            await(failed);
            until(() -> caller.getState() == Thread.State.WAITING || returned.get());
            writing.decrementAndGet();
          }
        };
    assertThatThrownBy(() -> reader(held, SLOW).read(KEY, 0, new byte[SIZE], 0, SIZE))
        .isSameAs(failure);
    assertThat(writing).hasValue(0);
    returned.set(true);
    assertThat(interruptedBefore).isTrue();
    assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    assertThat(held.joined).as("nothing is begun any more").hasValue(Gang.SIZE - 1);
  }

  private static void read(Pace pace, BothEnds.Reading reading) throws IOException {
    BothEnds.read(0, SIZE, new Plan(PIECE, Duration.ofNanos(1)), pace, reading);
  }

  @Test
  void a_failure_at_either_end_ends_the_other_also_if_both_throw_the_same() {
    Error failure = new OutOfMemoryError("of which the JVM may have only one");
    for (boolean atFront : new boolean[] {false, true}) {
      CountDownLatch begun = new CountDownLatch(1);
      assertThatThrownBy(
              () ->
                  read(
                      SLOW,
                      (from, to, arrival) -> {
                        boolean isFront = from == 0;
                        if (isFront) {
                          await(begun);
                        } else {
                          begun.countDown();
                        }
                        if (isFront != atFront) {
                          until(arrival::enough);
                        }
                        throw failure;
                      }))
          .isSameAs(failure);
    }
  }

  @Test
  void one_that_joins_takes_an_eighth_at_a_time_and_the_front_ends_exactly_where_it_meets_it()
      throws Exception {
    List<Integer> taken = new ArrayList<>(); // by one thread at a time
    CountDownLatch allTaken = new CountDownLatch(1);
    read(
        (came, nanos) -> 1,
        (from, to, arrival) -> {
          if (from == 0) {
            await(allTaken);
            int end = SIZE - taken.stream().mapToInt(Integer::intValue).sum();
            arrival.until(end - 1);
            assertThat(arrival.enough()).isFalse();
            arrival.until(end);
            assertThat(arrival.enough()).isTrue();
            return;
          }
          taken.add(to - from);
          if (from < 2 * PIECE) {
            allTaken.countDown();
          }
        });
    List<Integer> shares = new ArrayList<>();
    for (int left = SIZE; left >= 2 * PIECE; left -= shares.get(shares.size() - 1)) {
      shares.add(Math.max(PIECE, left / 8));
    }
    assertThat(taken).isEqualTo(shares);
  }

  @Test
  void what_comes_at_both_ends_is_looked_at_also_of_a_piece_that_begins_again() throws Exception {
    Validator version = new Validator("v");
    AtomicLong seen = new AtomicLong();
    AtomicBoolean piece = new AtomicBoolean();
    CountDownLatch counted = new CountDownLatch(1);
    read(
        (came, nanos) -> {
          seen.addAndGet(came);
          return 1;
        },
        (from, to, arrival) -> {
          if (from == 0) {
            arrival.until(1000);
            await(counted);
            arrival.until(to);
          } else if (!piece.getAndSet(true)) {
            arrival.until(from + 500);
            until(() -> seen.get() == 1500);
            arrival.begins(version);
            arrival.until(from + 200);
            until(() -> seen.get() == 1700);
            counted.countDown();
          }
        });
    assertThat(seen.get()).isGreaterThanOrEqualTo(1700);
  }

  @Test
  void those_that_are_too_many_end_with_their_piece_and_may_come_again() throws Exception {
    AtomicInteger wanted = new AtomicInteger(BothEnds.MOST);
    AtomicInteger looks = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(BothEnds.MOST);
    CountDownLatch fewer = new CountDownLatch(1);
    AtomicInteger atOnce = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch again = new CountDownLatch(1);
    read(
        (came, nanos) -> {
          looks.incrementAndGet();
          return wanted.get();
        },
        (from, to, arrival) -> {
          if (from == 0) {
            await(all);
            wanted.set(0);
            int before = looks.get();
            until(() -> looks.get() > before + 2); // the one before the last has been heeded
            fewer.countDown();
            until(() -> atOnce.get() == 0);
            wanted.set(1);
            await(again);
            arrival.until(to);
          } else if (all.getCount() > 0) {
            atOnce.incrementAndGet();
            all.countDown();
            await(fewer);
            atOnce.decrementAndGet();
          } else {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            for (int i = 0; i < 100_000; i++) {
              Thread.onSpinWait();
            }
            atOnce.decrementAndGet();
            if (from < 4 * PIECE) {
              again.countDown();
            }
          }
        });
    assertThat(most).hasValue(1);
  }

  @Test
  void versions_do_not_mix_if_the_front_begins_again_in_the_one_that_others_have_read()
      throws Exception {
    Validator first = store.stat(KEY).orElseThrow().validator();
    CountDownLatch landed = new CountDownLatch(1);
    ObjectStore replaced =
        new DelegatingObjectStore(store) {
          @Override
          public Validator read(
              String key,
              long offset,
              byte[] dst,
              int dstOffset,
              int length,
              Optional<Validator> expected,
              Arrival arrival)
              throws IOException {
            if (offset == 0) { // a store may ignore that it is enough
              await(landed);
              arrival.begins(first);
              System.arraycopy(bytes, 0, dst, dstOffset, length);
              arrival.until(dstOffset + length);
            } else if (landed.getCount() > 0) {
              store.put(KEY, new byte[SIZE], 0, SIZE);
            }
            Validator version =
                store.read(key, offset, dst, dstOffset, length, Optional.empty(), arrival);
            landed.countDown();
            return version;
          }
        };
    Pace one = (came, nanos) -> 1;
    assertThatThrownBy(() -> reader(replaced, one).read(KEY, 0, new byte[SIZE], 0, SIZE))
        .isInstanceOf(StoreException.Changed.class)
        .hasMessageContaining(KEY);
  }

  @Test
  void pieces_are_of_the_version_that_the_front_has_begun_with() throws Exception {
    Optional<Validator> version = store.stat(KEY).map(ObjectInfo::validator);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    List<Optional<Validator>> versions = new ArrayList<>(); // by one thread at a time
    Pace one = (came, nanos) -> (int) (1 - begun.getCount());
    ObjectStore held =
        new Held() {
          @Override
          void atFront(int end) throws IOException {
            if (end > 0) {
              begun.countDown();
              await(asked);
            }
          }

          @Override
          void atBack(long offset) {
            asked.countDown();
          }

          @Override
          public Validator read(
              String key,
              long offset,
              byte[] dst,
              int dstOffset,
              int length,
              Optional<Validator> expected,
              Arrival arrival)
              throws IOException {
            if (offset > 0) {
              versions.add(expected);
            }
            return super.read(key, offset, dst, dstOffset, length, expected, arrival);
          }
        };
    reader(held, one).read(KEY, 0, new byte[SIZE], 0, SIZE);
    assertThat(versions).isNotEmpty().containsOnly(version);
  }

  @Test
  void over_few_connections_it_is_read_in_ranges_since_the_front_keeps_one() throws Exception {
    for (int connections : new int[] {1, Gang.SIZE - 1, Gang.SIZE}) {
      ObjectStore few =
          new DelegatingObjectStore(store) {
            @Override
            public Validator read(
                String key,
                long offset,
                byte[] dst,
                int dstOffset,
                int length,
                Optional<Validator> expected,
                Arrival arrival)
                throws IOException {
              return store.read(key, offset, dst, dstOffset, length, expected, arrival);
            }

            @Override
            public int connections() {
              return connections;
            }
          };
      byte[] dst = new byte[SIZE];
      long before = counts.snapshot().of(RequestKind.READ);
      reader(few, FAST).read(KEY, 0, dst, 0, SIZE);
      assertThat(dst).isEqualTo(bytes);
      assertThat(counts.snapshot().of(RequestKind.READ) - before)
          .isEqualTo(connections < Gang.SIZE ? Gang.SIZE : 1);
    }
  }

  @Test
  void the_array_is_free_when_the_read_has_ended_though_a_look_is_to_come() throws Exception {
    WeakReference<byte[]> landed = landed();
    for (int i = 0; i < 100 && landed.get() != null; i++) {
      System.gc();
    }
    assertThat(landed.get()).isNull();
  }

  private WeakReference<byte[]> landed() throws IOException {
    byte[] dst = new byte[SIZE];
    reader(store, 1, PIECE, Duration.ofHours(1), FAST).read(KEY, 0, dst, 0, SIZE);
    return new WeakReference<>(dst);
  }

  @Test
  void what_is_not_large_or_is_looked_at_is_read_in_ranges() throws Exception {
    byte[] dst = new byte[SIZE];
    RangeReader reader = reader(store, SIZE, PIECE, Duration.ofNanos(1), FAST);
    reader.read(KEY, 1, dst, 1, SIZE - 1);
    assertThat(counts.snapshot().of(RequestKind.READ)).isEqualTo(4);
    reader.read(KEY, 0, dst, 0, SIZE, Optional.empty(), (from, to) -> Arrival.IGNORED);
    assertThat(counts.snapshot().of(RequestKind.READ)).isEqualTo(8);
    reader.read(KEY, 0, dst, 0, SIZE);
    assertThat(counts.snapshot().of(RequestKind.READ)).isEqualTo(9);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.refs.snapshot.TableCache.CachedTable;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.refs.table.TestTables;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.testing.Holds;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Which tables stay in memory. */
@Holds(
    "TableCache, SnapshotTables: Tables kept between look-ups, with their overlays, "
        + "take at most the configured memory")
@Timeout(300)
class TableCacheTest {
  private static final RefTable TABLE = table();
  private static final long SIZE = TABLE.bytes();

  private final AtomicLong time = new AtomicLong(1);
  private final Counters metrics = new Counters();

  /** A repository's place for a table. */
  private final class Place {
    private final TableCache budget;
    private final AtomicReference<CachedTable> held = new AtomicReference<>();

    Place(TableCache budget) {
      this.budget = budget;
    }

    void put(RefTable table) {
      CachedTable before = held.get();
      CachedTable made = new CachedTable(List.of("1-a"), table, held);
      held.set(made);
      budget.keep(made, before);
      time.addAndGet(TimeUnit.SECONDS.toNanos(1));
    }

    void use() {
      CachedTable table = held.get();
      if (table != null) {
        budget.use(table);
      }
      time.addAndGet(TimeUnit.SECONDS.toNanos(1));
    }

    boolean holds() {
      return held.get() != null;
    }
  }

  private static RefTable table() {
    Map<String, RefValue> refs = new TreeMap<>();
    for (int i = 100; i < 200; i++) {
      refs.put("refs/heads/" + i, TestTables.direct(ObjectId.zeroId()));
    }
    try {
      return new RefTable(TestTables.of(refs));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private TableCache budget(long limit) {
    return new TableCache(limit, metrics, time::get);
  }

  private static List<Place> places(int count, Supplier<Place> place) {
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      places.add(place.get());
    }
    return places;
  }

  @Test
  void the_overlay_seen_last_is_counted_and_goes_with_its_table() {
    TableCache budget = budget(100 * SIZE);
    Place place = new Place(budget);
    place.put(TABLE);
    SortedMap<String, RefValue> overlay = new TreeMap<>();
    for (int i = 0; i < 1000; i++) {
      overlay.put("refs/heads/" + i, TestTables.direct(ObjectId.zeroId()));
    }
    place.held.get().view(new Refs(List.of(), overlay, Collections.emptySortedMap()));
    place.use();
    assertThat(budget.held()).isGreaterThan(SIZE + 1000 * 100);
    place.put(table());
    assertThat(budget.held()).isEqualTo(SIZE);
  }

  /** Time may pass its largest value. */
  @ParameterizedTest
  @ValueSource(longs = {1, Long.MAX_VALUE - 2_000_000_000})
  void the_one_that_was_not_used_for_the_longest_time_goes_first(long begin) {
    time.set(begin);
    TableCache budget = budget(3 * SIZE);
    List<Place> places = places(5, () -> new Place(budget));
    places.subList(0, 3).forEach(p -> p.put(TABLE));
    places.get(0).use();
    places.get(3).put(TABLE);
    assertThat(places).extracting(Place::holds).containsExactly(true, false, true, true, false);
    places.get(2).use();
    places.get(0).use();
    places.get(4).put(TABLE);
    assertThat(places).extracting(Place::holds).containsExactly(true, false, true, false, true);
    assertThat(metrics.of(Count.EVICTIONS)).isEqualTo(2);
    assertThat(budget.held()).isEqualTo(3 * SIZE);
  }

  @Test
  void a_table_larger_than_the_budget_is_not_kept_and_evicts_no_other() throws IOException {
    RefTable small = new RefTable(TestTables.of(Map.of()));
    TableCache budget = budget(SIZE - 1);
    List<Place> places = places(2, () -> new Place(budget));
    places.get(0).put(small);
    places.get(1).put(TABLE);
    assertThat(places).extracting(Place::holds).containsExactly(true, false);
    assertThat(budget.held()).isEqualTo(small.bytes());
    assertThat(metrics.of(Count.EVICTIONS)).isEqualTo(1);
  }

  @Test
  void a_table_larger_than_the_budget_is_logged_once_an_hour() {
    Logger logger = (Logger) LoggerFactory.getLogger(TableCache.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      Place place = new Place(budget(SIZE - 1));
      place.put(TABLE);
      place.put(TABLE);
      assertThat(log.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .containsExactly(
              "the refs of a repository take "
                  + SIZE
                  + " bytes or more, and [s3 \"refs\"] cacheLimit is "
                  + (SIZE - 1)
                  + ": each request reads them again; raise cacheLimit, or give the process more"
                  + " heap");
      time.addAndGet(TimeUnit.HOURS.toNanos(1));
      place.put(TABLE);
      assertThat(log.list).hasSize(2);
    } finally {
      logger.detachAppender(log);
    }
  }

  @Test
  void an_index_that_was_made_later_counts_from_the_next_use_on() {
    RefTable growing = table();
    TableCache budget = budget(2 * SIZE);
    List<Place> places = places(2, () -> new Place(budget));
    places.get(0).put(growing);
    places.get(1).put(TABLE);
    growing.anyTip(ObjectId.zeroId(), ref -> true);
    assertThat(growing.bytes()).isGreaterThan(SIZE);
    places.get(0).use();
    assertThat(places).extracting(Place::holds).containsExactly(true, false);
    assertThat(budget.held()).isEqualTo(growing.bytes());
  }

  @Test
  void a_table_that_outgrows_the_budget_goes_alone() throws IOException {
    RefTable growing = table();
    RefTable small = new RefTable(TestTables.of(Map.of()));
    TableCache budget = budget(SIZE + small.bytes());
    List<Place> places = places(2, () -> new Place(budget));
    places.get(0).put(small);
    places.get(1).put(growing);
    growing.anyTip(ObjectId.zeroId(), ref -> true);
    assertThat(growing.bytes()).isGreaterThan(budget.limit());
    places.get(1).use();
    assertThat(places).extracting(Place::holds).containsExactly(true, false);
  }

  @Seeds(1)
  void what_is_there_is_what_is_counted_however_many_put_and_use(long seed) throws Exception {
    TableCache budget = new TableCache(3 * SIZE, metrics);
    List<Place> places = places(8, () -> new Place(budget));
    ConcurrentTasks.run(
        places.size(),
        t -> {
          Place mine = places.get(t); // one thread puts into a place at a time
          Random random = new Random(seed + t);
          for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(4) == 0) {
              mine.put(TABLE);
            } else {
              places.get(random.nextInt(places.size())).use();
            }
          }
        });
    long there = places.stream().filter(Place::holds).count();
    assertThat(there).isEqualTo(3);
    assertThat(budget.held()).isEqualTo(3 * SIZE);
  }
}

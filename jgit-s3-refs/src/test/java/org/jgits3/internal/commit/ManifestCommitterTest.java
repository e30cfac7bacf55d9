// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.internal.commit.Register.cas;
import static org.jgits3.internal.commit.Register.set;
import static org.jgits3.store.ConcurrentTasks.waitWhile;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.Register.Report;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.testing.FullHeap;
import org.jgits3.testing.FullHeap.FillsTheHeap;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Holds(
    "CommitBatch, CommitLoop: Verdicts, refusals too, are delivered after their write is decided, "
        + "and computed again if it is retried (B1)")
@Holds("CommitLoop, CommitBatch: Waiting changes share one write. One that fails, fails alone.")
@Holds(
    "ListingRules: A newly listed name was minted after the sweep boundary, or its writer is "
        + "refused. A name that left never returns. (D1, D2, D14)")
@Holds(
    "ListingRules, Manifest, CommitBatch: Boundary, `dropped` and `prunedTo` never go back, even "
        + "by a sweep that was overtaken (A4, D2)")
@Timeout(300)
class ManifestCommitterTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int CREATION = 2; // conditional writes of it

  private final ScriptedStore store = new ScriptedStore();
  private final List<Thread> threads = new ArrayList<>();

  /** Holds a request. */
  private final CountDownLatch held = new CountDownLatch(1);

  private ManifestCommitter committer;
  private ManifestCommitter other;

  @BeforeEach
  void create_the_repository() throws IOException {
    Register.create(new RepositoryCatalog(store, DEADLINE), NAME);
    committer = StoredManifest.committer(store, NAME, DEADLINE);
    other = StoredManifest.committer(store, NAME, DEADLINE);
  }

  @AfterEach
  void end_all_threads() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(30));
    }
  }

  @Test
  void B1_refusals_are_unknown_if_the_write_of_their_batch_is() throws Exception {
    List<FutureTask<Report>> ops =
        startInTurn(List.of(set("before", "1"), set("first", "5"), cas("r", "7", "8")));
    store.loseAnswerAfter(() -> store.overwrite(key(), new byte[] {1, 2, 3}));
    held.countDown();
    assertThat(ops.get(0).get()).isEqualTo(Report.OK);
    assertThatThrownBy(ops.get(1)::get).hasCauseInstanceOf(UnknownOutcomeException.class);
    assertThatThrownBy(ops.get(2)::get).hasCauseInstanceOf(UnknownOutcomeException.class);
  }

  @Holds(
      "ManifestCommitter, CommitLoop: At the deadline the answer decides a write without an "
          + "attempt in doubt, for all its changes")
  @Test
  void batch_defeated_at_its_deadline_fails_whole_with_nothing_written() throws Exception {
    AtomicLong ahead = useTimeAheadOfTheClock();
    List<FutureTask<Report>> ops =
        startInTurn(
            List.of(set("before", "1"), set("op0", "20"), set("op1", "21"), set("op2", "22")));
    List<FutureTask<Report>> batch = ops.subList(1, 4);
    store.nextPut(
        put -> {
          other.commit(set("V0", "9"));
          ahead.set(DEADLINE.toNanos());
          store.nextGet(
              get -> {
                waitWhile(
                    () ->
                        threadsIn(Thread.State.TERMINATED) + threadsIn(Thread.State.WAITING)
                            != batch.size()); // the first one, and all of these but this one
                return get.read();
              });
          return put.apply();
        });
    held.countDown();
    assertThat(ops.get(0).get()).isEqualTo(Report.OK);
    for (FutureTask<Report> op : batch) {
      assertThatThrownBy(op::get).hasCauseInstanceOf(ManifestException.NotCommitted.class);
    }
  }

  @Test
  void caller_of_a_write_in_doubt_waits_for_no_attempt_past_its_deadline() throws Exception {
    AtomicLong ahead = useTimeAheadOfTheClock();
    List<FutureTask<Report>> ops =
        startInTurn(List.of(set("before", "1"), set("op0", "20"), set("op1", "21")));
    List<FutureTask<Report>> batch = ops.subList(1, 3);
    store.nextPut(put -> ScriptedStore.NO_ANSWER);
    store.nextPut(
        put -> {
          ahead.set(DEADLINE.toNanos());
          threads.stream().filter(t -> t != Thread.currentThread()).forEach(Thread::interrupt);
          waitWhile(() -> batch.stream().noneMatch(FutureTask::isDone));
          return put.apply();
        });
    held.countDown();
    assertThat(ops.get(0).get()).isEqualTo(Report.OK);
    assertThat(told(batch)).containsExactlyInAnyOrder("OK", "UnknownOutcomeException");
  }

  /** Makes the committer anew, with a clock that can be put forward. */
  private AtomicLong useTimeAheadOfTheClock() {
    AtomicLong ahead = new AtomicLong();
    Ticker time = ticker(() -> System.nanoTime() + ahead.get());
    committer =
        new ManifestCommitter(
            StoredManifest.file(store, NAME), DEADLINE, time, new SplittableRandom(1));
    return ahead;
  }

  @Test
  void object_whose_listing_does_not_fit_is_deleted() {
    RepositorySettings large = new RepositorySettings("x".repeat(300_000), "");
    AtomicInteger deletions = new AtomicInteger();
    assertThatThrownBy(
            () ->
                Replacement.commit(
                    committer,
                    base -> Optional.of(base.withSettings(large)),
                    base -> false,
                    deletions::incrementAndGet))
        .isInstanceOf(ManifestException.TooLarge.class);
    assertThat(deletions).hasValue(1);
  }

  @Test
  void change_that_throws_or_makes_the_manifest_too_large_fails_alone() throws Exception {
    RepositorySettings large = new RepositorySettings("x".repeat(300_000), "");
    List<FutureTask<Report>> ops =
        startInTurn(
            List.of(
                counting(),
                base -> {
                  throw new IOException("bad");
                },
                base -> Proposal.edit(base.withSettings(large), Report.OK),
                counting()));
    held.countDown();
    assertThat(told(List.of(ops.get(0), ops.get(3)))).containsOnly("OK");
    assertThatThrownBy(ops.get(1)::get)
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("bad");
    assertThatThrownBy(ops.get(2)::get).hasCauseInstanceOf(ManifestException.TooLarge.class);
  }

  /** The outcomes, and the names of the failures. */
  private static List<String> told(List<FutureTask<Report>> ops) throws InterruptedException {
    List<String> told = new ArrayList<>();
    for (FutureTask<Report> op : ops) {
      try {
        told.add(op.get().toString());
      } catch (ExecutionException e) {
        told.add(e.getCause().getClass().getSimpleName());
      }
    }
    return told;
  }

  @Holds("ListingRules: No manifest lists a pack twice, or again after it was replaced")
  @Test
  void a_manifest_that_lists_a_pack_twice_is_never_written() throws IOException {
    commit(packing(ObjectNames.mint(committer.validate().manifest())));
    assertThatThrownBy(
            () ->
                commit(
                    base -> {
                      PackEntry pack = base.packs().get(0);
                      return Proposal.edit(base.withPacks(List.of(pack, pack)), Report.OK);
                    }))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("twice");
    assertThat(other.validate().manifest().packs()).hasSize(1);
  }

  @Test
  void name_that_left_the_manifest_never_returns() throws IOException {
    String id = ObjectNames.mint(committer.validate().manifest());
    commit(packing(id));
    commit(base -> Proposal.edit(base.withPacks(List.of()), Report.OK));
    assertThatThrownBy(() -> commit(packing(id))).isInstanceOf(ManifestException.Stalled.class);
  }

  @Test
  void name_that_left_by_the_write_of_another_process_never_returns() throws IOException {
    String id = ObjectNames.mint(committer.validate().manifest());
    commit(packing(id));
    other.validate();
    store.applyAfter(() -> other.commit(base -> Proposal.edit(base.withPacks(List.of()), true)));
    assertThatThrownBy(() -> commit(packing(id))).isInstanceOf(ManifestException.Stalled.class);
  }

  @Test
  void sweep_boundary_and_dropped_never_go_back() throws IOException {
    commit(counting());
    commit(base -> Proposal.edit(base.withSweepBoundary(2).withDropped(2), Report.OK));
    commit(base -> Proposal.edit(base.withSweepBoundary(0).withDropped(0), Report.OK));
    Manifest manifest = committer.validate().manifest();
    assertThat(manifest.sweepBoundary()).isEqualTo(2);
    assertThat(manifest.dropped()).isEqualTo(2);
  }

  @Test
  void garbage_is_never_overwritten() throws IOException {
    committer.validate();
    byte[] garbage = {1, 2, 3};
    store.overwrite(key(), garbage);
    assertThatThrownBy(committer::validate).isInstanceOf(ManifestException.Corrupt.class);
    assertThatThrownBy(() -> commit(counting())).isInstanceOf(UnknownOutcomeException.class);
    assertThatThrownBy(() -> StoredManifest.committer(store, NAME, DEADLINE).commit(counting()))
        .isInstanceOf(ManifestException.Corrupt.class);
    assertThat(store.bytes(key())).isEqualTo(garbage);
  }

  @Test
  void refusal_by_the_store_is_reported_as_such_if_nothing_was_applied() throws IOException {
    store.nextPut(
        put -> {
          throw new StoreException.Refused(put.key, "read-only", null);
        });
    assertThatThrownBy(() -> commit(counting())).isInstanceOf(StoreException.Refused.class);
  }

  @Test
  void interrupt_does_not_end_a_commit_and_is_kept() throws IOException {
    Thread.currentThread().interrupt();
    assertThat(commit(counting())).isEqualTo(Report.OK);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void listeners_see_every_newer_manifest_once_and_in_order() throws IOException {
    List<Long> seen = new ArrayList<>();
    committer.onChange((before, after) -> seen.add(after.generation()));
    committer.validate();
    commit(counting());
    commitElsewhere();
    committer.validate();
    committer.validate();
    assertThat(seen).containsExactly(1L, 2L, 3L);
  }

  @Holds("ManifestFile: A failing listener does not make a commit fail")
  @Test
  void a_commit_does_not_fail_because_a_listener_has_no_memory() throws IOException {
    List<Long> seen = new ArrayList<>();
    committer.onChange(
        (before, after) -> {
          throw new OutOfMemoryError("as if");
        });
    committer.onChange((before, after) -> seen.add(after.generation()));
    assertThat(commit(counting())).isEqualTo(Report.OK);
    assertThat(seen).containsExactly(1L, 2L);
  }

  /** As in a full heap: the thread that has made the write cannot even say that it failed. */
  @Test
  void changes_are_applied_once_though_memory_was_missing_after_the_write() throws Exception {
    AtomicInteger missing = new AtomicInteger();
    ObjectStore full =
        new DelegatingObjectStore(store) {
          @Override
          public String location() { // for a message
            if (missing.getAndDecrement() > 0) {
              throw new OutOfMemoryError("as if");
            }
            return super.location();
          }
        };
    committer = StoredManifest.committer(full, NAME, DEADLINE);
    List<FutureTask<Report>> ops =
        startInTurn(List.of(set("start", "1"), cas("op1", "1", "2"), cas("op2", "2", "3")));
    store.nextPut(
        put -> {
          put.apply();
          missing.set(1);
          throw new OutOfMemoryError("as if");
        });
    held.countDown();
    assertThat(ops.get(0).get()).isEqualTo(Report.OK);
    assertThat(told(ops.subList(1, 3))).containsExactlyInAnyOrder("OutOfMemoryError", "OK");
    assertThat(Register.value(other.validate().manifest())).isEqualTo("3");
  }

  @Test
  void a_pack_can_be_forgotten_though_the_caller_of_its_change_had_no_memory() throws IOException {
    AtomicInteger readings = new AtomicInteger();
    Ticker full =
        ticker(
            () -> {
              if (readings.incrementAndGet() == 2) { // the first reading sets the deadline
                throw new OutOfMemoryError("as if");
              }
              return System.nanoTime();
            });
    committer =
        new ManifestCommitter(
            StoredManifest.file(store, NAME), DEADLINE, full, new SplittableRandom(1));
    UnlistedPack pack =
        new UnlistedPack(ManifestFixture.pack(ObjectNames.mint(other.validate().manifest()))) {};
    assertThatThrownBy(() -> committer.commit(counting(), List.of(pack)))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(commit(counting())).isEqualTo(Report.OK);
    assertThat(other.validate().manifest().packs()).isEmpty();
    assertThat(pack.forget()).isTrue();
  }

  @Test
  @FillsTheHeap
  void news_are_told_though_the_heap_was_full_when_they_came() throws Exception {
    assertThat(FullHeap.run(FullHeapCommitProcess.class, "news")).isEqualTo("[1, 2]");
  }

  @Test
  @FillsTheHeap
  void a_commit_goes_on_though_the_heap_was_full_when_another_one_failed() throws Exception {
    assertThat(FullHeap.run(FullHeapCommitProcess.class, "commit")).isEqualTo("committed");
  }

  @Holds(
      "SubmittedChange: The first write for a request that changes something lists all packs that "
          + "the request hides, and decides them, even in a full heap. A refused push lists nothing. "
          + "(P2, P8)")
  @Test
  @FillsTheHeap
  void a_pack_is_forgotten_though_the_heap_was_full_at_its_decision() throws Exception {
    assertThat(FullHeap.run(FullHeapCommitProcess.class, "decide").lines())
        .containsExactly("true", "true");
  }

  @Test
  void closed_committer_refuses_changes() {
    committer.close();
    assertThatThrownBy(() -> commit(counting())).isInstanceOf(IllegalStateException.class);
  }

  private static Ticker ticker(LongSupplier nanoTime) {
    return new Ticker() {
      @Override
      public long nanoTime() {
        return nanoTime.getAsLong();
      }

      @Override
      public void sleep(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
      }
    };
  }

  private Report commit(ManifestChange<Report> change) throws IOException {
    return committer.commit(change);
  }

  private String key() throws IOException {
    return StoredManifest.key(store, NAME.value());
  }

  private long commitElsewhere() throws IOException {
    other.validate();
    other.commit(counting());
    return other.cached().orElseThrow().manifest().generation();
  }

  private static ManifestChange<Report> counting() {
    return base ->
        set("count", Integer.toString(Integer.parseInt(Register.value(base)) + 1)).propose(base);
  }

  private static ManifestChange<Report> packing(String id) {
    return base -> Proposal.edit(base.withPacks(List.of(ManifestFixture.pack(id))), Report.OK);
  }

  /** Starts changes one after the other, all of which wait while the write of the first is held. */
  private List<FutureTask<Report>> startInTurn(List<ManifestChange<Report>> changes) {
    store.applyAfter(this::awaitRelease);
    List<FutureTask<Report>> started = new ArrayList<>();
    for (ManifestChange<Report> change : changes) {
      int before = started.size();
      started.add(start(() -> commit(change)));
      waitWhile(
          () -> store.puts().size() == CREATION || threadsIn(Thread.State.TIMED_WAITING) < before);
    }
    return started;
  }

  private void awaitRelease() throws IOException {
    try {
      assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private <T> FutureTask<T> start(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task);
    threads.add(thread);
    thread.start();
    return task;
  }

  /** Threads in a state, beside the one that does a request. */
  private long threadsIn(Thread.State state) {
    return threads.stream().filter(thread -> waitsInCommitter(thread, state)).count();
  }

  private static boolean waitsInCommitter(Thread thread, Thread.State state) {
    return thread.getState() == state
        && Arrays.stream(thread.getStackTrace())
            .noneMatch(frame -> frame.getClassName().contains("ScriptedStore"));
  }
}

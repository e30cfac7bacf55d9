// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.manifest.PackEntry;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One maintainer at a time, as far as that can be had, and work that goes on where it cannot. */
@Holds(
    "Lease, LeaseKeeper: A lost, stolen or expired lease fails no work and delays it by a bounded "
        + "time")
@Timeout(120)
class LeaseTest extends MaintainedRepository {
  private static final Duration AT_ONCE = Duration.ofMillis(1);

  private String repositoryId;

  /** The time that leases go by. */
  private volatile Instant now = Instant.parse("2026-11-01T00:00:00Z");

  @BeforeEach
  void create() throws Exception {
    repositoryId = it.manifest().repositoryId();
  }

  private Lease lease() {
    return lease(it.plain);
  }

  private Lease lease(ObjectStore store) {
    return new Lease(store, repositoryId, () -> now);
  }

  /** A lease of another process than those of the other leases, which it has got. */
  private Lease acquired() throws IOException {
    Lease lease = lease();
    assertThat(lease.acquire()).isTrue();
    return lease;
  }

  private String storedLease() throws IOException {
    return new String(StoreContent.bytes(it.plain, Lease.key(repositoryId)), US_ASCII);
  }

  @Test
  void a_lease_of_a_process_whose_clock_was_wrong_and_that_died_is_free_soon() throws Exception {
    Instant right = now;
    now = right.plus(Duration.ofDays(1000));
    assertThat(lease().acquire()).isTrue();
    now = right.plus(Lease.TERM);
    assertThat(lease().acquire()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"FAIL_BEFORE", "FAIL_AFTER", "LATE"})
  void a_lease_is_given_back_though_the_store_does_not_say_so_at_once(Fault fault)
      throws Exception {
    FaultInjectingObjectStore doubtful = new FaultInjectingObjectStore(it.plain, 1, 0);
    Lease one = lease(doubtful);
    assertThat(one.acquire()).isTrue();
    doubtful.script(RequestKind.PUT_IF, fault);
    one.release();
    acquired();
    String taken = storedLease();
    doubtful.deliver();
    assertThat(storedLease()).as("what comes late takes nothing away").isEqualTo(taken);
  }

  @Test
  void a_lease_that_is_not_renewed_ends() throws Exception {
    Lease dead = acquired();
    now = now.plus(Lease.TERM.minusMillis(1));
    assertThat(lease().acquire()).isFalse();
    now = now.plusMillis(1);
    assertThat(lease().acquire()).isTrue();
    assertThat(dead.renew()).as("another process has it").isFalse();
    dead.release();
    assertThat(lease().acquire()).as("giving back what was lost changes nothing").isFalse();
  }

  @Test
  void a_lease_that_was_lost_is_got_again_once_it_is_free() throws Exception {
    Lease lease = acquired();
    now = now.plus(Lease.TERM);
    Lease thief = acquired();
    assertThat(lease.renew()).isFalse();
    thief.release();
    assertThat(lease.renew()).isTrue();
    assertThat(thief.acquire()).isFalse();
  }

  /** A store that applies conditional writes, loses the answers of some, and repeats others. */
  private final class Forgetful extends DelegatingObjectStore {
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger copied = new AtomicInteger();

    Forgetful() {
      super(it.plain);
    }

    @Override
    public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
      PutOutcome outcome = super.putIf(key, body, precondition);
      if (copied.getAndDecrement() > 0) {
        outcome = super.putIf(key, body, precondition);
      }
      return lost.getAndDecrement() > 0 ? new PutOutcome.Unknown("the answer is lost") : outcome;
    }
  }

  @Test
  void a_holder_recognises_its_lease_though_the_answer_to_a_write_was_lost() throws Exception {
    Forgetful store = new Forgetful();
    Lease lease = lease(store);
    store.lost.set(1);
    assertThat(lease.acquire()).isTrue();
    now = now.plus(LeaseKeeper.EVERY);
    store.lost.set(1);
    assertThat(lease.renew()).isTrue();
    now = now.plus(LeaseKeeper.EVERY);
    store.copied.set(1);
    assertThat(lease.renew()).isTrue();
    now = now.plus(LeaseKeeper.EVERY);
    assertThat(lease.renew()).isTrue();
    lease.release();
    assertThat(lease().acquire()).isTrue();
  }

  @Test
  void the_keeper_renews_until_it_is_closed_and_gives_the_lease_back() throws Exception {
    Lease lease = acquired();
    String first = storedLease();
    LeaseKeeper keeper = LeaseKeeper.of(lease, AT_ONCE);
    for (int i = 0; i < 3; i++) {
      now = now.plus(LeaseKeeper.EVERY);
      String due = now.plus(Lease.TERM) + " ";
      ConcurrentTasks.waitWhile(() -> !storedLease().startsWith(due));
    }
    assertThat(storedLease()).isNotEqualTo(first);
    keeper.close();
    assertThat(keeper.isRunning()).isFalse();
    assertThat(lease().acquire()).isTrue();
  }

  @Test
  void the_keeper_ends_with_work_that_was_interrupted_and_the_status_stays() throws Exception {
    Lease lease = acquired();
    LeaseKeeper keeper = LeaseKeeper.of(lease);
    Thread.currentThread().interrupt();
    keeper.close();
    assertThat(Thread.interrupted()).isTrue();
    ConcurrentTasks.waitWhile(keeper::isRunning);
  }

  @Test
  void the_keeper_ends_though_the_store_does_not_answer() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    ObjectStore broken =
        new DelegatingObjectStore(it.plain) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            asked.incrementAndGet();
            throw new StoreException.Unavailable(key, "no answer", null);
          }
        };
    LeaseKeeper keeper = LeaseKeeper.of(lease(broken), AT_ONCE);
    ConcurrentTasks.waitWhile(() -> asked.get() <= 3); // goes on trying
    keeper.close();
    assertThat(keeper.isRunning()).isFalse();
  }

  @Test
  void a_collection_waits_for_others_as_long_as_a_lease_lasts_and_no_longer() throws Exception {
    Lease other = acquired();
    Instant begun = now;
    LeaseKeeper.Pause passing = time -> now = now.plus(time);
    LeaseKeeper waited = LeaseKeeper.await(lease(), NullProgressMonitor.INSTANCE, passing);
    assertThat(Duration.between(begun, now)).as("it was not renewed").isEqualTo(Lease.TERM);
    assertThat(lease().acquire()).as("so it has it now").isFalse();
    waited.close();

    assertThat(other.acquire()).isTrue();
    Instant again = now;
    LeaseKeeper.Pause renewed =
        time -> {
          now = now.plus(time);
          assertThat(Unchecked.call(other::renew)).isTrue();
        };
    LeaseKeeper without = LeaseKeeper.await(lease(), NullProgressMonitor.INSTANCE, renewed);
    assertThat(Duration.between(again, now)).isEqualTo(Lease.TERM);
    without.close();
    assertThat(Unchecked.call(other::renew))
        .as("it goes on without, and takes nothing away")
        .isTrue();
  }

  @Test
  void a_lease_of_an_application_is_had_by_one_process_until_it_is_closed() throws Exception {
    String key = "application/task";
    LeaseKeeper one = LeaseKeeper.tryAcquire(it.plain, key).orElseThrow();
    assertThat(LeaseKeeper.tryAcquire(it.plain, key)).isEmpty();
    one.close();
    LeaseKeeper other = LeaseKeeper.tryAcquire(it.plain, key).orElseThrow();
    other.leave();
    assertThat(other.isRunning()).isFalse();
    assertThat(LeaseKeeper.tryAcquire(it.plain, key)).as("left to end by itself").isEmpty();
  }

  @Test
  void a_collection_does_nothing_if_another_has_collected_while_it_waited() throws Exception {
    push(2);
    Lease other = new Lease(it.plain, repositoryId);
    assertThat(other.acquire()).isTrue();
    LeaseKeeper.Pause collecting =
        time -> {
          Unchecked.run(other::release);
          assertThat(Unchecked.call(() -> MaintenanceFixture.gc(it.users)).skipped()).isFalse();
        };
    var report =
        it.maintainer.maintenance("r").collectGarbage(NullProgressMonitor.INSTANCE, collecting);
    assertThat(report.skipped()).isTrue();
    assertThat(report.packsBefore()).isEqualTo(1);
    it.isSound();
  }

  @Test
  void a_collection_whose_lease_is_stolen_goes_on() throws Exception {
    push(2);
    it.store.beforeWrite(
        () ->
            it.plain.put(
                Lease.key(repositoryId), "stolen".getBytes(US_ASCII), 0, "stolen".length()));
    assertThat(it.gc().packsAfter()).isEqualTo(1);
    assertThat(storedLease()).as("left to the thief").isEqualTo("stolen");
    it.isSound();
  }

  @Holds(
      "LeaseKeeper, Maintenance, PackCompaction: During a collection servers merge only other "
          + "packs, so that pushes do not fill the manifest")
  @Test
  void no_server_compacts_what_is_being_collected() throws Exception {
    push(3);
    boolean[] compacted = {true};
    it.store.beforeWrite(
        () -> {
          push(12);
          compacted[0] = it.users.maintenance("r").compactIfFree();
        });
    assertThat(it.gc().skipped()).isFalse();
    assertThat(compacted[0]).isFalse();
    assertThat(it.manifest().packs()).extracting(PackEntry::source).contains("GC").hasSize(13);
    assertThat(it.users.maintenance("r").compactIfFree()).as("free again").isTrue();
    assertThat(new Lease(it.plain, repositoryId).acquire()).as("given back").isTrue();
    it.isSound();
  }

  @Test
  void very_many_packs_but_those_of_a_collection_are_merged_beside_it() throws Exception {
    push(12);
    Lease collection = new Lease(it.plain, repositoryId);
    assertThat(collection.acquire()).isTrue();
    collection.collects(it.manifest().generation());
    assertThat(collection.renew()).isTrue();
    var begunWith = it.manifest().packs();
    it.store.beforeWrite(
        () -> {
          push(PackCompaction.ENOUGH_BESIDE_COLLECTION); // the first may be one of the collected
          assertThat(it.users.maintenance("r").compactIfFree()).as("many").isFalse();
          push(1);
          assertThat(it.users.maintenance("r").compactIfFree()).as("very many").isTrue();
          assertThat(it.manifest().packs()).containsAll(begunWith).hasSize(begunWith.size() + 2);
        });
    assertThat(it.gc().skipped()).isFalse();
    assertThat(it.manifest().packs())
        .extracting(PackEntry::source)
        .containsExactlyInAnyOrder("GC", "INSERT", "COMPACT");
    it.isSound();
  }

  @Test
  void a_collection_says_which_packs_it_collects() throws Exception {
    Lease lease = acquired();
    Lease other = lease();
    assertThat(other.acquire()).isFalse();
    assertThat(other.collectedElsewhere()).isEmpty();
    lease.collects(17);
    assertThat(lease.renew()).isTrue();
    assertThat(other.acquire()).isFalse();
    assertThat(other.collectedElsewhere()).hasValue(17);
    lease.release();
    assertThat(other.acquire()).isTrue();
    assertThat(other.collectedElsewhere()).isEmpty();
  }
}

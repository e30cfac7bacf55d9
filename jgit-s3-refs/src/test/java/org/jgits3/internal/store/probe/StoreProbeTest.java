// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.ProbedService;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreException;
import org.jgits3.store.UnsafeStoreException;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Holds(
    "StoreProbe, ProbeRun, Property: A store that breaks the contract is refused by the worst "
        + "check that failed")
class StoreProbeTest {
  private static final Optional<ObjectVersion> ANY = Optional.empty();

  @TempDir Path root;

  private DirectoryObjectStore directory;

  /** A directory, but for the many writes of the races, which need no disk. */
  @AutoClose private ObjectStore good;

  @BeforeEach
  void open_store() throws IOException {
    directory = new DirectoryObjectStore(root);
    ObjectStore memory = new MemoryObjectStore();
    good =
        new DelegatingObjectStore(directory) {
          private ObjectStore of(String key) {
            return key.contains("race/create") || key.contains("race/update") ? memory : directory;
          }

          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            return of(key).get(key, known);
          }

          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            return of(key).putIf(key, body, precondition);
          }

          @Override
          public Optional<ObjectInfo> stat(String key) throws IOException {
            return of(key).stat(key);
          }

          @Override
          public void put(String key, byte[] src, int offset, int length) throws IOException {
            of(key).put(key, src, offset, length);
          }
        };
  }

  @Test
  void a_directory_is_admitted_within_eight_requests() throws IOException {
    RequestCounts counts = new RequestCounts();
    StoreProbe.admit(new ObservedObjectStore(directory, counts));
    assertThat(counts.snapshot().total()).isLessThanOrEqualTo(8);
  }

  @FunctionalInterface
  private interface Get {
    GetResult get(String key, Optional<ObjectVersion> known) throws IOException;
  }

  @FunctionalInterface
  private interface PutIf {
    PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException;
  }

  private ObjectStore reading(Get get) {
    return store(get, good::putIf);
  }

  private ObjectStore writing(PutIf putIf) {
    return store(good::get, putIf);
  }

  /** The good store, but for two methods. */
  private ObjectStore store(Get get, PutIf putIf) {
    return new DelegatingObjectStore(good) {
      @Override
      public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
        return get.get(key, known);
      }

      @Override
      public PutOutcome putIf(String key, byte[] body, Precondition precondition)
          throws IOException {
        return putIf.putIf(key, body, precondition);
      }
    };
  }

  private PutOutcome ignoreIfMatch(String key, byte[] body, Precondition precondition)
      throws IOException {
    return precondition instanceof Precondition.Absent
        ? good.putIf(key, body, precondition)
        : overwrite(key, body);
  }

  private GetResult failDuringRaces(String key, Optional<ObjectVersion> known) throws IOException {
    if (key.contains("race/")) {
      throw new StoreException.Unavailable(key, "s3://b: no answer", null);
    }
    return good.get(key, known);
  }

  /** Compares and writes in two steps; versions are derived from the bytes in some way. */
  private PutIf inTwoSteps(Function<GetResult.Found, ObjectVersion> version) {
    return (key, body, precondition) -> {
      GetResult now = good.get(key, ANY);
      boolean holds =
          precondition instanceof Precondition.Matches matches
              ? now instanceof GetResult.Found found
                  && matches.version().equals(version.apply(found))
              : now instanceof GetResult.Missing;
      if (!holds) {
        return new PutOutcome.Lost();
      }
      PutOutcome.Won won = overwrite(key, body);
      return new PutOutcome.Won(version.apply(new GetResult.Found(body, won.version())));
    };
  }

  @Test
  void a_store_that_ignores_if_match_is_refused() {
    ObjectStore broken = writing(this::ignoreIfMatch);
    assertThatThrownBy(() -> StoreProbe.admit(broken))
        .isInstanceOf(UnsafeStoreException.class)
        .hasMessage(
            good.location()
                + ": refused: check 'stale-if-match' failed: a write with an outdated version was"
                + " accepted, so If-Match of a PUT is ignored;"
                + " concurrent pushes would lose updates");
  }

  @Test
  void a_store_that_sends_half_written_objects_during_a_race_is_refused() {
    AtomicInteger reads = new AtomicInteger();
    ObjectStore broken =
        reading(
            (key, known) -> {
              GetResult answer = good.get(key, known);
              return key.endsWith("race/read")
                      && reads.incrementAndGet() >= 3
                      && answer instanceof GetResult.Found found
                  ? new GetResult.Found(new byte[0], found.version())
                  : answer;
            });
    assertThat(failed(broken, true)).isEqualTo("torn-read");
  }

  @Test
  void a_store_that_breaks_a_promise_is_refused_for_the_check_of_it() {
    PutIf overwriting = (key, body, precondition) -> overwrite(key, body);
    PutIf refusing = (key, body, precondition) -> new PutOutcome.Lost();
    Map<String, ObjectStore> broken =
        Map.of(
            "create-if-absent",
            writing(onCondition(overwriting, good::putIf)),
            "create",
            writing(refusing),
            "replace-if-match",
            writing(onCondition(good::putIf, refusing)),
            "distinct-versions",
            writing(inTwoSteps(found -> new ObjectVersion("length " + found.bytes().length))),
            "read-after-write",
            reading((key, known) -> new GetResult.NotModified()));
    broken.forEach((check, store) -> assertThat(failed(store, false)).isEqualTo(check));
  }

  private static PutIf onCondition(PutIf absent, PutIf matches) {
    return (key, body, precondition) ->
        (precondition instanceof Precondition.Absent ? absent : matches)
            .putIf(key, body, precondition);
  }

  @Test
  void create_that_is_not_conditional_is_not_taken_for_equal_versions() throws IOException {
    Function<GetResult.Found, ObjectVersion> hash =
        found -> new ObjectVersion("hash " + Arrays.hashCode(found.bytes()));
    ObjectStore broken =
        store(
            (key, known) -> {
              if (!key.endsWith("/conditions")) {
                return good.get(key, known);
              }
              GetResult.Found now = (GetResult.Found) good.get(key, ANY);
              ObjectVersion version = hash.apply(now);
              return known.filter(version::equals).isPresent()
                  ? new GetResult.NotModified()
                  : new GetResult.Found(now.bytes(), version);
            },
            (key, body, precondition) -> {
              if (!key.endsWith("/conditions")) {
                return good.putIf(key, body, precondition);
              }
              if (precondition instanceof Precondition.Matches) {
                return inTwoSteps(hash).putIf(key, body, precondition);
              }
              PutOutcome.Won won = overwrite(key, body);
              return new PutOutcome.Won(hash.apply(new GetResult.Found(body, won.version())));
            });
    assertThat(failures(StoreProbe.full(broken))).containsExactly("create-if-absent");
  }

  /** Names of the checks that failed. */
  private static List<String> failures(ProbeReport report) {
    return report.checks().stream().filter(check -> !check.ok()).map(Check::name).toList();
  }

  @Test
  void a_store_that_compares_and_writes_in_two_steps_is_found_in_races() throws IOException {
    good = directory; // whose requests take long enough for others to come between
    ObjectStore broken = writing(inTwoSteps(GetResult.Found::version));
    StoreProbe.admit(broken);
    ProbeReport report = StoreProbe.full(broken);
    assertThat(failures(report)).contains("update-race");
    assertThatThrownBy(report::orRefuse).isInstanceOf(UnsafeStoreException.class);
  }

  @Test
  void a_store_whose_reads_mix_versions_is_refused() {
    ObjectStore broken =
        reading(
            (key, known) -> {
              GetResult first = good.get(key, known);
              if (!(first instanceof GetResult.Found head && head.bytes().length > 1000)) {
                return first;
              }
              GetResult second = good.get(key, ANY);
              if (!(second instanceof GetResult.Found tail)) {
                return second;
              }
              byte[] mixed = Arrays.copyOf(head.bytes(), tail.bytes().length);
              int half = Math.min(head.bytes().length, mixed.length) / 2;
              System.arraycopy(tail.bytes(), half, mixed, half, mixed.length - half);
              return new GetResult.Found(mixed, tail.version());
            });
    assertThat(failed(broken, true)).isEqualTo("torn-read");
  }

  @Test
  void a_store_that_ignores_the_version_of_a_range_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public ObjectVersion read(ReadRequest range) throws IOException {
            return super.read(
                new ReadRequest(
                    range.key(),
                    range.offset(),
                    range.dst(),
                    range.dstOffset(),
                    range.length(),
                    ANY));
          }
        };
    assertThat(failed(broken, true)).isEqualTo("range-if-match");
  }

  @Test
  void a_store_that_does_not_verify_checksums_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public Optional<ProbedService> probedService() {
            return Optional.of(new Checked(() -> {}, true, false));
          }
        };
    assertThat(failed(broken, true)).isEqualTo("part-checksum");
  }

  /** A service that refuses some wrong checksums, and does something before each request. */
  private record Checked(Runnable before, boolean puts, boolean parts) implements ProbedService {
    @Override
    public void speak(Dialect dialect) {}

    @Override
    public boolean refusesWrongPut(String key) {
      before.run();
      return puts;
    }

    @Override
    public boolean refusesWrongPart(MultipartUpload upload) {
      before.run();
      return parts;
    }

    @Override
    public boolean refusesToComplete(MultipartUpload upload, List<UploadedPart> uploaded) {
      before.run();
      return true;
    }
  }

  /** The good store, which takes wrong checksums, and gives one answer to creations in a race. */
  private ObjectStore careless(PutOutcome raced) {
    return new DelegatingObjectStore(good) {
      @Override
      public Optional<String> service() {
        return Optional.of("a server"); // which is raced before its first use
      }

      @Override
      public Optional<ProbedService> probedService() {
        return Optional.of(new Checked(() -> {}, false, false));
      }

      @Override
      public PutOutcome putIf(String key, byte[] body, Precondition precondition)
          throws IOException {
        return key.contains("race/create") ? raced : super.putIf(key, body, precondition);
      }
    };
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_store_is_refused_for_the_worst_failure_and_the_others_are_named(boolean full) {
    ObjectStore broken = careless(new PutOutcome.Won(new ObjectVersion("v")));
    assertThatThrownBy(() -> probe(broken, full))
        .isInstanceOf(UnsafeStoreException.class)
        .hasMessageContaining("refused: check 'create-race' failed: ")
        .hasMessageEndingWith("; also failed: part-checksum, put-checksum")
        .hasMessageNotContaining("\n");
  }

  /** The good store, which fails when an upload is completed that was aborted. */
  private ObjectStore failingToCompleteAborted(boolean made) {
    return new DelegatingObjectStore(good) {
      @Override
      public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
          throws IOException {
        if (!upload.key().endsWith("/aborted")) {
          super.completeMultipart(upload, parts);
          return;
        }
        if (made) {
          put(upload.key(), new byte[] {1}, 0, 1);
        }
        throw new StoreException.Unavailable(upload.key(), "s3://b: 500 InternalError", null);
      }
    };
  }

  @Test
  void an_aborted_upload_whose_completion_fails_ends_no_probe() throws IOException {
    assertThat(StoreProbe.full(failingToCompleteAborted(false)).orRefuse().checks())
        .allMatch(Check::ok)
        .extracting(Check::name)
        .contains("multipart-abort", "multipart-list", "update-race", "torn-read");
    assertThat(failures(StoreProbe.full(failingToCompleteAborted(true))))
        .containsExactly("multipart-abort");
  }

  @Test
  void a_store_that_forbids_deletes_is_reported_but_not_refused() throws IOException {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public void delete(Collection<String> keys) throws IOException {
            throw new StoreException.Refused("", "access denied", null);
          }
        };
    ProbeReport report = StoreProbe.full(broken).orRefuse();
    assertThat(failures(report)).containsExactly("delete");
  }

  @Test
  void a_store_that_cannot_be_reached_or_refuses_access_is_not_judged() {
    StoreException denied = new StoreException.Refused("", "s3://b: access denied", null);
    ObjectStore unreachable =
        writing(
            (key, body, precondition) -> {
              throw denied;
            });
    assertThatThrownBy(() -> StoreProbe.admit(unreachable)).isSameAs(denied);
    ObjectStore silent =
        writing((key, body, precondition) -> new PutOutcome.Unknown("connection reset"));
    assertThatThrownBy(() -> StoreProbe.admit(silent))
        .isInstanceOf(StoreException.Unavailable.class)
        .hasMessageContaining("connection reset");
  }

  @Test
  void a_store_that_does_not_understand_the_first_write_is_refused_for_it() {
    ObjectStore broken =
        writing(
            (key, body, precondition) -> {
              throw new StoreException.Unsupported(key, "s3://b: 501 NotImplemented", null);
            });
    assertThatThrownBy(() -> StoreProbe.admit(broken))
        .isInstanceOf(UnsafeStoreException.class)
        .hasMessageContaining("check 'create' failed: s3://b: 501 NotImplemented");
  }

  @Test
  void a_store_that_fails_a_check_and_then_answers_no_more_is_refused_for_it() throws IOException {
    ObjectStore broken = store(this::failDuringRaces, this::ignoreIfMatch);
    assertThat(failed(broken, true)).isEqualTo("stale-if-match");
    assertThat(StoreProbe.full(broken).checks())
        .extracting(Check::name, Check::ok)
        .contains(tuple("answers", false));
  }

  @Test
  void a_store_that_stops_answering_before_a_check_has_failed_is_not_judged() {
    ObjectStore silent = reading(this::failDuringRaces);
    assertThatThrownBy(() -> StoreProbe.full(silent))
        .isInstanceOf(StoreException.Unavailable.class);
  }

  /** The good store, which loses its answers to some conditional writes that it makes, or not. */
  private ObjectStore losing(BiPredicate<String, Precondition> lost, boolean written) {
    return writing(
        (key, body, precondition) -> {
          boolean loses = lost.test(key, precondition);
          PutOutcome outcome = loses && !written ? null : good.putIf(key, body, precondition);
          return loses ? new PutOutcome.Unknown("connection reset") : outcome;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void answers_that_are_lost_in_races_of_updates_make_no_check_fail(boolean written)
      throws IOException {
    ObjectStore lossy =
        losing(
            (key, precondition) ->
                key.contains("race/update")
                    && precondition instanceof Precondition.Matches
                    && ThreadLocalRandom.current().nextInt(3) == 0,
            written);
    assertThat(StoreProbe.full(lossy).checks()).allMatch(Check::ok);
  }

  @ParameterizedTest
  @ValueSource(strings = {"conditions", "race/update-0", "race/read"})
  void a_store_whose_answer_to_a_creation_is_lost_is_not_judged(String name) {
    for (boolean written : new boolean[] {true, false}) {
      ObjectStore lossy =
          losing(
              (key, precondition) ->
                  key.endsWith(name) && precondition instanceof Precondition.Absent,
              written);
      assertThatThrownBy(() -> StoreProbe.full(lossy))
          .isInstanceOf(StoreException.Unavailable.class)
          .hasMessageContaining("connection reset");
    }
  }

  private PutOutcome.Won overwrite(String key, byte[] body) throws IOException {
    good.put(key, body, 0, body.length);
    return new PutOutcome.Won(good.stat(key).orElseThrow().version());
  }

  private static void probe(ObjectStore broken, boolean full) throws IOException {
    if (full) {
      StoreProbe.full(broken).orRefuse();
    } else {
      StoreProbe.admit(broken);
    }
  }

  private static String failed(ObjectStore broken, boolean full) {
    UnsafeStoreException refused =
        catchThrowableOfType(UnsafeStoreException.class, () -> probe(broken, full));
    assertThat(refused).as("the store is refused").isNotNull();
    return refused.check();
  }

  /**
   * A store in memory, whose clock advances by 0.3 s with each request that no other request runs
   * beside. Counts no time but this.
   */
  private static final class FarStore extends DelegatingObjectStore {
    private static final long LATENCY = TimeUnit.MILLISECONDS.toNanos(300);

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger updates = new AtomicInteger();
    private final AtomicInteger creations = new AtomicInteger();

    FarStore() {
      super(new MemoryObjectStore());
    }

    /** Counts the requests of all other kinds, too. */
    ObjectStore observed() {
      return new ObservedObjectStore(
          this,
          (kind, outcome, bytes, took) -> {
            if (kind != RequestKind.GET && kind != RequestKind.PUT_IF) {
              pass(1);
            }
          });
    }

    private void pass(int beside) {
      nanos.addAndGet(LATENCY / beside);
    }

    @Override
    public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
      if (!key.contains("race/read")) { // whose writer is counted, and its readers run beside it
        pass(key.contains("race/update") ? RaceChecks.LANES : 1);
      }
      return super.get(key, known);
    }

    @Override
    public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
      if (key.contains("race/read")) {
        pass(1); // as it was read before
        pass(1);
      } else if (key.contains("race/")) {
        (key.contains("race/create") ? creations : updates).incrementAndGet();
        pass(RaceChecks.LANES * RaceChecks.RACERS);
      } else {
        pass(1);
      }
      return super.putIf(key, body, precondition);
    }

    @Override
    public Optional<ProbedService> probedService() {
      return Optional.of(new Checked(() -> pass(1), true, true));
    }
  }

  @Test
  void a_store_that_is_far_away_is_raced_as_often_as_20_seconds_allow() throws IOException {
    FarStore far = new FarStore();
    List<String> begun = new ArrayList<>();
    ProbeReport report = StoreProbe.full(far.observed(), begun::add, far.nanos::get).orRefuse();
    far.observed().listMultipart(""); // as doctor does at its end
    assertThat(Duration.ofNanos(far.nanos.get())).isLessThanOrEqualTo(Duration.ofSeconds(20));
    assertThat(far.updates.get() / RaceChecks.RACERS).isGreaterThanOrEqualTo(100);
    assertThat(far.creations.get() / RaceChecks.RACERS).isGreaterThanOrEqualTo(40);
    assertThat(begun)
        .hasSize(report.checks().size() - 1) // all but the deletion of what the probe wrote
        .contains("update-race: one of several updates wins");
  }

  @Test
  void each_failed_check_comes_with_a_remedy() throws IOException {
    ObjectStore broken = careless(new PutOutcome.Won(new ObjectVersion("v")));
    for (Check check : StoreProbe.full(broken).checks()) {
      assertThat(check.remedy().isEmpty()).as("%s", check).isEqualTo(check.ok());
    }
  }
}

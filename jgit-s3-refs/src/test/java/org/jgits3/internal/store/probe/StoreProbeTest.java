// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.store.Stores;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ChecksumProbe;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreProbeTest {
  private static final Optional<ObjectVersion> ANY = Optional.empty();

  @TempDir Path root;
  private ObjectStore good;

  @BeforeEach
  void open_store() throws IOException {
    good = new DirectoryObjectStore(root);
  }

  @AfterEach
  void close_store() throws IOException {
    good.close();
  }

  @Test
  void a_directory_passes_the_quick_probe_within_eight_requests() throws IOException {
    RequestCounts counts = new RequestCounts();
    ProbeReport report = StoreProbe.quick(new ObservedObjectStore(good, counts));
    assertThat(report.checks()).allMatch(Check::ok);
    assertThat(report.orRefuse().ok()).isTrue();
    assertThat(counts.snapshot().total()).isLessThanOrEqualTo(8);
  }

  @Test
  void a_directory_passes_the_full_probe_and_is_left_empty() throws IOException {
    ProbeReport report = StoreProbe.full(good);
    assertThat(report.checks()).allMatch(Check::ok);
    List<String> left = new ArrayList<>();
    good.list("", object -> left.add(object.key()));
    assertThat(left).isEmpty();
    assertThat(good.listMultipart("")).isEmpty();
  }

  @Test
  void an_s3_server_passes_the_full_probe() throws IOException {
    var server = S3Servers.require();
    try (ObjectStore store = Stores.open(server.newBucket(), server.options())) {
      assertThat(StoreProbe.full(store).checks()).allMatch(Check::ok);
    }
  }

  @Test
  void a_store_that_ignores_if_match_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            if (precondition instanceof Precondition.Absent) {
              return super.putIf(key, body, precondition);
            }
            return overwrite(this, key, body);
          }
        };
    assertThatThrownBy(() -> StoreProbe.quick(broken).orRefuse())
        .isInstanceOf(StoreProbe.Refused.class)
        .hasMessage(
            good.location()
                + ": refused: check 'stale-if-match' failed: a write with an outdated version was"
                + " accepted; concurrent pushes would lose updates");
  }

  @Test
  void a_store_that_sends_half_written_objects_during_a_race_is_refused() {
    AtomicInteger reads = new AtomicInteger();
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            GetResult answer = super.get(key, known);
            return key.endsWith("race/update")
                    && reads.incrementAndGet() == 3
                    && answer instanceof GetResult.Found found
                ? new GetResult.Found(new byte[0], found.version())
                : answer;
          }
        };
    assertThat(failed(broken, true)).isEqualTo("update-race");
  }

  @Test
  void a_store_that_ignores_if_none_match_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            if (precondition instanceof Precondition.Matches) {
              return super.putIf(key, body, precondition);
            }
            return overwrite(this, key, body);
          }
        };
    assertThat(failed(broken, false)).isEqualTo("create-if-absent");
  }

  @Test
  void a_store_that_refuses_every_conditional_write_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition) {
            return new PutOutcome.Lost(false);
          }
        };
    assertThat(failed(broken, false)).isEqualTo("create");
  }

  @Test
  void a_store_whose_versions_are_lengths_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            GetResult now = super.get(key, ANY);
            boolean holds =
                precondition instanceof Precondition.Matches matches
                    ? now instanceof GetResult.Found found
                        && matches.version().equals(length(found.bytes()))
                    : now instanceof GetResult.Missing;
            if (!holds) {
              return new PutOutcome.Lost(false);
            }
            overwrite(this, key, body);
            return new PutOutcome.Won(length(body));
          }

          private ObjectVersion length(byte[] body) {
            return new ObjectVersion("length " + body.length);
          }
        };
    assertThat(failed(broken, false)).isEqualTo("distinct-versions");
  }

  @Test
  void a_store_that_serves_outdated_reads_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) {
            return new GetResult.NotModified();
          }
        };
    assertThat(failed(broken, false)).isEqualTo("read-after-write");
  }

  @Test
  void a_store_that_compares_and_writes_in_two_steps_passes_quick_but_not_full()
      throws IOException {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            GetResult now = super.get(key, ANY);
            boolean holds =
                precondition instanceof Precondition.Matches matches
                    ? now instanceof GetResult.Found found
                        && matches.version().equals(found.version())
                    : now instanceof GetResult.Missing;
            return holds
                ? overwrite(this, key, body)
                : new PutOutcome.Lost(now instanceof GetResult.Missing);
          }
        };
    StoreProbe.quick(broken).orRefuse();
    ProbeReport report = StoreProbe.full(broken);
    assertThat(report.checks())
        .filteredOn(check -> !check.ok())
        .extracting(Check::name)
        .contains("update-race");
    assertThatThrownBy(report::orRefuse).isInstanceOf(StoreProbe.Refused.class);
  }

  @Test
  void a_store_whose_reads_mix_versions_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            GetResult first = super.get(key, known);
            if (!(first instanceof GetResult.Found head && head.bytes().length > 1000)) {
              return first;
            }
            GetResult second = super.get(key, ANY);
            if (!(second instanceof GetResult.Found tail)) {
              return second;
            }
            byte[] mixed = Arrays.copyOf(head.bytes(), tail.bytes().length);
            int half = Math.min(head.bytes().length, mixed.length) / 2;
            System.arraycopy(tail.bytes(), half, mixed, half, mixed.length - half);
            return new GetResult.Found(mixed, tail.version());
          }
        };
    assertThat(failed(broken, true)).isEqualTo("torn-read");
  }

  @Test
  void a_store_that_ignores_the_version_of_a_range_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public ObjectVersion read(
              String key,
              long offset,
              byte[] dst,
              int dstOffset,
              int length,
              Optional<ObjectVersion> expected)
              throws IOException {
            return super.read(key, offset, dst, dstOffset, length, ANY);
          }
        };
    assertThat(failed(broken, true)).isEqualTo("range-if-match");
  }

  @Test
  void a_store_that_does_not_verify_checksums_is_refused() {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public Optional<ChecksumProbe> checksumProbe() {
            return Optional.of(
                new ChecksumProbe() {
                  @Override
                  public boolean refusesWrongPut(String key) {
                    return true;
                  }

                  @Override
                  public boolean refusesWrongPart(MultipartUpload upload) {
                    return false;
                  }
                });
          }
        };
    assertThat(failed(broken, true)).isEqualTo("part-checksum");
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
    ProbeReport report = StoreProbe.quick(broken).orRefuse();
    assertThat(report.checks())
        .filteredOn(check -> !check.ok())
        .extracting(Check::name)
        .containsExactly("delete");
  }

  @Test
  void a_store_that_cannot_be_reached_or_refuses_access_is_not_judged() {
    StoreException denied = new StoreException.Refused("", "s3://b: access denied", null);
    ObjectStore unreachable =
        new DelegatingObjectStore(good) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            throw denied;
          }
        };
    assertThatThrownBy(() -> StoreProbe.quick(unreachable)).isSameAs(denied);
    ObjectStore silent =
        new DelegatingObjectStore(good) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition) {
            return new PutOutcome.Unknown("connection reset");
          }
        };
    assertThatThrownBy(() -> StoreProbe.quick(silent))
        .isInstanceOf(StoreException.Unavailable.class)
        .hasMessageContaining("connection reset");
  }

  @Test
  void a_store_that_fails_a_check_and_then_stops_answering_is_refused_for_the_check()
      throws IOException {
    ObjectStore broken =
        new DelegatingObjectStore(good) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            return precondition instanceof Precondition.Absent
                ? super.putIf(key, body, precondition)
                : overwrite(this, key, body);
          }

          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            if (key.contains("race/")) {
              throw new StoreException.Unavailable(key, "s3://b: no answer", null);
            }
            return super.get(key, known);
          }
        };
    assertThat(failed(broken, true)).isEqualTo("stale-if-match");
    assertThat(StoreProbe.full(broken).checks())
        .extracting(Check::name, Check::ok)
        .contains(tuple("answers", false));
  }

  @Test
  void a_store_that_stops_answering_before_a_check_has_failed_is_not_judged() {
    ObjectStore silent =
        new DelegatingObjectStore(good) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            if (key.contains("race/")) {
              throw new StoreException.Unavailable(key, "s3://b: no answer", null);
            }
            return super.get(key, known);
          }
        };
    assertThatThrownBy(() -> StoreProbe.full(silent))
        .isInstanceOf(StoreException.Unavailable.class);
  }

  private static PutOutcome overwrite(ObjectStore store, String key, byte[] body)
      throws IOException {
    store.put(key, body, 0, body.length);
    return new PutOutcome.Won(store.stat(key).orElseThrow().version());
  }

  private static String failed(ObjectStore broken, boolean full) {
    StoreProbe.Refused refused =
        catchThrowableOfType(
            StoreProbe.Refused.class,
            () -> (full ? StoreProbe.full(broken) : StoreProbe.quick(broken)).orRefuse());
    assertThat(refused).as("the store is refused").isNotNull();
    return refused.check().name();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.StoreContent;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the marks of sweeps, also of machines whose clocks are wrong. */
@Holds("SweepMarks: Clocks decide how much a sweep spares, never its safety")
class SweepMarksTest extends MaintainedRepository {
  private static final Duration HOUR = Duration.ofHours(1);

  private final Instant now = Instant.parse("2040-05-06T07:08:09.123456Z");

  @BeforeEach
  void create() throws Exception {
    TestRepositories.commit(it.user, "first");
  }

  /** The next generation. */
  private Manifest next() throws IOException {
    TestRepositories.commit(it.user, "at " + it.manifest().generation());
    return it.manifest();
  }

  private SweepMarks marks() throws IOException {
    return new SweepMarks(it.plain, it.manifest(), now);
  }

  private Manifest mark(Instant time) throws IOException {
    Manifest manifest = next();
    marks().leave(manifest, time);
    return manifest;
  }

  private List<String> keys() throws IOException {
    return StoreContent.keys(it.plain, ObjectNames.marks(it.manifest().repositoryId()));
  }

  @Test
  void a_mark_says_when_it_was_left_and_what_its_manifest_ruled_out() throws Exception {
    Manifest manifest = mark(now.minus(HOUR));
    next();
    assertThat(marks().unlistedBefore(now.minus(HOUR))).isEqualTo(UnlistedObjects.by(manifest));
    assertThat(marks().endedBefore(now.minus(HOUR))).isEqualTo(manifest.generation() - 1);
    assertThat(marks().anyAfter(now.minus(HOUR).minusNanos(1))).isTrue();
    assertThat(marks().anyAfter(now.minus(HOUR))).isFalse();
  }

  @Test
  void a_mark_is_stored_in_this_form() throws Exception {
    Manifest manifest = mark(now);
    LiveObject pack = LiveObject.of(manifest).get(0);
    Set<String> listed = Set.copyOf(LiveObject.of(manifest).stream().map(LiveObject::key).toList());
    String text = new String(StoreContent.bytes(it.plain, keys().get(0)), US_ASCII);
    assertThat(text.lines().toList())
        .hasSize(2 + listed.size())
        .startsWith("3 2040-05-06T07:08:09.123456Z 0 " + listed.size())
        .contains(pack.key().substring(ObjectNames.prefix(manifest.repositoryId()).length()));
    assertThat(pack.key()).contains("/pack/");
  }

  @Test
  void a_mark_of_which_any_bit_is_another_is_as_good_as_none() throws Exception {
    Manifest manifest = mark(now.minus(HOUR));
    String id = manifest.repositoryId();
    byte[] bytes = StoreContent.bytes(it.plain, keys().get(0));
    assertThat(SweepMark.decode(id, manifest.generation(), bytes)).isPresent();
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(SweepMark.decode(id, manifest.generation(), flipped)).as("bit %d", bit).isEmpty();
    }
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThat(SweepMark.decode(id, manifest.generation(), cut)).as("%d", length).isEmpty();
    }
  }

  @Test
  void a_mark_of_another_repository_or_generation_is_as_good_as_none() throws Exception {
    Manifest manifest = mark(now.minus(HOUR));
    byte[] bytes = StoreContent.bytes(it.plain, keys().get(0));
    assertThat(SweepMark.decode("0".repeat(32), manifest.generation(), bytes)).isEmpty();
    String id = manifest.repositoryId();
    assertThat(SweepMark.decode(id, manifest.generation() + 1, bytes)).isEmpty();
  }

  @Test
  void the_newest_mark_that_is_old_enough_counts() throws Exception {
    mark(now.minus(HOUR.multipliedBy(3)));
    Manifest counts = mark(now.minus(HOUR.multipliedBy(2)));
    mark(now.minus(HOUR));
    assertThat(marks().unlistedBefore(now.minus(HOUR.multipliedBy(2))))
        .isEqualTo(UnlistedObjects.by(counts));
    assertThat(marks().unlistedBefore(now.minus(HOUR.multipliedBy(4))))
        .isEqualTo(UnlistedObjects.NOTHING);
  }

  @Test
  void the_newest_mark_counts_beside_more_than_a_hundred_others() throws Exception {
    Manifest early = next();
    for (int i = 0; i < 101; i++) {
      marks().leave(early, now.minus(HOUR.multipliedBy(3)));
    }
    Manifest newest = mark(now.minus(HOUR));
    assertThat(keys()).hasSize(102);
    assertThat(marks().unlistedBefore(now)).isEqualTo(UnlistedObjects.by(newest));
  }

  @Test
  void a_clock_that_is_slow_makes_no_mark_older_than_the_one_before_it() throws Exception {
    Manifest before = mark(now.minus(HOUR));
    mark(now.minus(Duration.ofDays(300)));
    SweepMarks marks = marks();
    Instant moment = now.minus(HOUR.multipliedBy(2));
    assertThat(marks.endedBefore(moment)).isLessThan(before.generation());
    assertThat(marks.unlistedBefore(moment)).isEqualTo(UnlistedObjects.NOTHING);
  }

  @Test
  void a_mark_from_the_future_is_as_good_as_none_until_then() throws Exception {
    mark(now.plus(HOUR));
    assertThat(marks().anyAfter(now.minus(HOUR))).as("another is to be left").isFalse();
    Manifest right = mark(now.minus(HOUR));
    assertThat(marks().anyAfter(now.minus(HOUR.multipliedBy(2)))).isTrue();
    assertThat(marks().unlistedBefore(now)).isEqualTo(UnlistedObjects.by(right));
    assertThat(marks().endedBefore(now)).isEqualTo(right.generation() - 1);
  }

  @Test
  void a_mark_of_a_generation_beyond_a_restored_manifest_is_not_believed() throws Exception {
    Manifest old = it.manifest();
    mark(now.minus(HOUR));
    SweepMarks marks = new SweepMarks(it.plain, old, now);
    assertThat(marks.unlistedBefore(now)).isEqualTo(UnlistedObjects.NOTHING);
    assertThat(marks.anyAfter(now.minus(HOUR.multipliedBy(2)))).isFalse();
  }
}

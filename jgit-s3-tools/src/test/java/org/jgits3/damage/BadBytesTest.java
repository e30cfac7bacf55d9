// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.damage.DamagedRepository.Where;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every kind of stored object with other bytes than were written, at rest and in transit. Each
 * answer is right, or an error with the key of the object. No evidence is written over, and with
 * the right bytes put back nothing is lost.
 */
@Holds(
    "Whatever the bytes of a stored object, at rest or in transit, each answer is right or an "
        + "error with the key. They are not overwritten, and putting the right ones back repairs it.")
class BadBytesTest {
  private static StoredSample sample;
  private static Picture truth;

  /** Keys of the objects of the repository, and of the same objects of another. */
  private static Map<String, String> objects;

  @BeforeAll
  static void write() throws Exception {
    sample = new StoredSample();
    objects = sample.counterparts();
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    try (S3RepositoryManager manager = TestRepositories.manager(sample.copy());
        S3Repository r = manager.openRepository(StoredSample.NAME)) {
      truth = Picture.of(r);
    }
  }

  @Test
  void the_sample_has_every_kind_of_object() {
    assertThat(objects.keySet().stream().map(BadBytesTest::kind).distinct())
        .containsExactlyInAnyOrder(
            "lease",
            "log/",
            "pack/.bundle",
            "pack/.idx",
            "pack/.pack",
            "refs/",
            "sweep/",
            "manifest",
            "names/r.git");
  }

  private static String kind(String key) {
    return key.replaceAll("(objects|repos)/[0-9a-f]{32}/", "")
        .replaceAll("[0-9a-f]{12}-[0-9a-f]{20}", "");
  }

  @Test
  void damage_of_any_object_is_an_error_with_its_key_or_does_no_harm() throws Exception {
    Random random = new Random(RandomSeed.first());
    for (String key : objects.keySet()) {
      byte[] good = sample.bytes(key);
      Damage damage = Damage.any(random);
      byte[] bad = damage.to(good, random);
      if (!Arrays.equals(good, bad)) {
        check(key, bad, damage.name(), any(random), random);
      }
    }
  }

  @Test
  @Tag("long") // the test before draws from the same
  void each_damage_at_rest_and_in_transit_is_an_error_or_does_no_harm() throws Exception {
    Random random = new Random(RandomSeed.first());
    Map<String, List<String>> kinds =
        objects.keySet().stream().collect(Collectors.groupingBy(BadBytesTest::kind));
    for (List<String> keys : kinds.values()) {
      for (Where where : Where.values()) {
        for (Damage damage : Damage.values()) {
          String key = keys.get(random.nextInt(keys.size()));
          check(key, damaged(sample.bytes(key), damage, random), damage.name(), where, random);
        }
        String key = keys.get(random.nextInt(keys.size()));
        if (!isPointer(key)) {
          check(key, sample.bytes(objects.get(key)), "SWAPPED", where, random);
        }
      }
    }
  }

  /** Other bytes, wherever the damage has to be for that. */
  private static byte[] damaged(byte[] good, Damage damage, Random random) {
    byte[] bad = good;
    while (Arrays.equals(good, bad)) {
      bad = damage.to(good, random);
    }
    return bad;
  }

  private static Where any(Random random) {
    return List.of(Where.values()).get(random.nextInt(Where.values().length));
  }

  @Test
  void an_object_of_another_repository_is_an_error_or_does_no_harm() throws Exception {
    Random random = new Random(RandomSeed.first());
    for (Map.Entry<String, String> swapped : objects.entrySet()) {
      if (!isPointer(swapped.getKey())) {
        byte[] bad = sample.bytes(swapped.getValue());
        check(swapped.getKey(), bad, "SWAPPED", any(random), random);
      }
    }
  }

  /** A pointer under another name is no damage: that name stands for nothing. */
  private static boolean isPointer(String key) {
    return key.startsWith(RepositoryName.PREFIX);
  }

  @Test
  void a_known_manifest_is_not_replaced_by_a_foreign_or_earlier_one() throws Exception {
    String key = sample.manifestKey(StoredSample.NAME);
    byte[] other = sample.bytes(sample.manifestKey(StoredSample.OTHER));
    for (byte[] bad : List.of(other, sample.earlier(key))) {
      MemoryObjectStore store = sample.copy();
      try (S3RepositoryManager manager = TestRepositories.manager(store);
          S3Repository r = manager.openRepository(StoredSample.NAME)) {
        ObjectId main = Picture.ref(r, StoredSample.MAIN).orElseThrow();
        store.put(key, bad, 0, bad.length);
        assertThatIOException().isThrownBy(() -> Picture.refs(r)).withMessageContaining(key);
        assertThatIOException()
            .isThrownBy(() -> manager.openRepository(StoredSample.NAME, Purpose.request()))
            .withStackTraceContaining(key);
        assertThatIOException()
            .isThrownBy(() -> StoredSample.point(r, "refs/heads/pushed", main))
            .withMessageContaining(key);
        assertThat(StoredSample.bytes(store, key)).isEqualTo(bad);
      }
    }
  }

  private static void check(String key, byte[] bad, String damage, Where where, Random random) {
    try {
      new DamagedRepository(sample, truth, key, bad, where).isRightOrRefused(random);
    } catch (Exception | AssertionError e) {
      String what = kind(key) + " " + damage + " " + where + " (" + key + "): ";
      throw new AssertionError(what + e.getMessage(), e);
    }
  }
}

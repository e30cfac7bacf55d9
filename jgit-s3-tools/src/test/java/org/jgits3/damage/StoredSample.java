// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreContent;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.RandomSeed;

/** A store with two repositories, each of which has every kind of stored object. */
final class StoredSample {
  static final String NAME = "r";
  static final String OTHER = "other";
  static final String MAIN = "refs/heads/main";

  /** Bytes of a pack that is an object of its own. */
  private static final int LARGE = 1030 << 10;

  /** Refs of a batch that the log keeps in an object of its own. */
  private static final int BATCH = 2000;

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final Map<String, byte[]> earlier = new TreeMap<>();
  private final int large;
  private final int batch;

  StoredSample() throws Exception {
    this(LARGE, BATCH);
  }

  /**
   * A sample of another size.
   *
   * @param large bytes of the largest packs
   * @param batch refs of the batches
   */
  StoredSample(int large, int batch) throws Exception {
    this.large = large;
    this.batch = batch;
    try (S3RepositoryManager manager = TestRepositories.manager(store)) {
      fill(manager, OTHER, 2);
      fill(manager, NAME, 1);
      manager.createRepository("deleted").close();
      manager.delete("deleted");
      manager.createRepository("again").close();
      manager.delete("again");
      manager.createRepository("again").close();
    }
  }

  private void fill(S3RepositoryManager manager, String name, int seed) throws Exception {
    try (S3Repository r = manager.createRepository(name)) {
      TestRepositories.configure(r, "sample", "key", "value of " + name);
      ObjectId small = TestRepositories.commitBlobs(r, 20 + seed);
      point(r, MAIN, small);
      point(r, "refs/heads/large", PackBytes.ofSize(large + seed, seed).pushTo(r));
      point(r, "refs/tags/v1", TestRepositories.tag(r, "v" + seed, small));
      manager.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE);
      batch(r, "refs/changes/first", small);
      r.getRefDatabase().compact();
      String manifest = StoredManifest.key(store, name);
      earlier.put(manifest, bytes(manifest));
      if (RandomSeed.count(0, 1) == 1) { // in full runs one that nothing has collected, too
        point(r, "refs/heads/large2", PackBytes.ofSize(large + 10 * seed, 7 + seed).pushTo(r));
      }
      point(r, MAIN, TestRepositories.commit(r, "second of " + name, small));
      r.getRefDatabase().compact();
      manager.sweep(name, Duration.ofDays(1), false);
      batch(r, "refs/changes/second", small);
      point(r, MAIN, TestRepositories.commit(r, "third of " + name, r.resolve(MAIN)));
    }
  }

  static RefUpdate.Result point(S3Repository r, String name, ObjectId id) throws IOException {
    return TestRepositories.force(r, name, id);
  }

  private void batch(S3Repository r, String prefix, ObjectId id) throws IOException {
    TestRepositories.createAll(r, id, batch, i -> prefix + "/" + i + "/1");
  }

  static byte[] bytes(ObjectStore store, String key) throws IOException {
    return StoreContent.bytes(store, key);
  }

  /** The keys of all objects of a store. */
  static List<String> keys(ObjectStore store) throws IOException {
    return StoreContent.keys(store, "");
  }

  /** The bytes of all objects whose keys match a pattern. */
  List<byte[]> matching(String pattern) throws IOException {
    List<byte[]> found = new ArrayList<>();
    for (String key : keys()) {
      if (key.matches(pattern)) {
        found.add(bytes(key));
      }
    }
    return found;
  }

  /** A cursor of a follower that has read everything. */
  byte[] cursor() throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(store)) {
      return manager.storeHistory().now().toBytes();
    }
  }

  /** All objects. */
  List<String> keys() throws IOException {
    return keys(store);
  }

  byte[] bytes(String key) throws IOException {
    return bytes(store, key);
  }

  /**
   * The objects of the repository {@link #NAME}, and the same of the one that is {@link #OTHER}.
   */
  Map<String, String> counterparts() throws IOException {
    List<String> mine = of(NAME);
    List<String> others = of(OTHER);
    Map<String, String> pairs = new TreeMap<>();
    for (int i = 0; i < mine.size(); i++) {
      pairs.put(mine.get(i), others.get(i));
    }
    return pairs;
  }

  private List<String> of(String name) throws IOException {
    String prefix = ObjectNames.prefix(StoredManifest.read(store, name).repositoryId());
    Set<String> others = Set.of(manifestKey(name), RepositoryName.of(name).pointerKey());
    return keys().stream().filter(k -> k.startsWith(prefix) || others.contains(k)).toList();
  }

  /** Key of the manifest of the repository that has a name. */
  String manifestKey(String name) throws IOException {
    return StoredManifest.key(store, name);
  }

  /** An earlier version of a manifest. */
  byte[] earlier(String key) {
    return earlier.get(key).clone();
  }

  /** A store with the same objects. */
  MemoryObjectStore copy() throws IOException {
    MemoryObjectStore copy = new MemoryObjectStore();
    for (String key : keys()) {
      byte[] bytes = bytes(key);
      copy.put(key, bytes, 0, bytes.length);
    }
    return copy;
  }
}

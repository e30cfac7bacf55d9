// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.Soundness;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StoreContent;

/** A repository {@code r}, one process that maintains it, and another that uses it meanwhile. */
public final class MaintenanceFixture {
  final DirectoryObjectStore plain;
  final StagedStore store;
  final S3RepositoryManager maintainer;
  final S3RepositoryManager users;
  final S3Repository user;

  MaintenanceFixture(Path directory) throws Exception {
    plain = new DirectoryObjectStore(directory);
    store = new StagedStore(plain);
    maintainer = manager(store);
    users = manager(new DirectoryObjectStore(directory));
    user = users.createRepository("r");
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
  }

  /** A process for which garbage expires at once. */
  public static S3RepositoryManager manager(ObjectStore store) throws ConfigInvalidException {
    return TestRepositories.manager(store, "[gc]\npruneExpire = now");
  }

  void close() throws IOException {
    user.close();
    users.close();
    maintainer.close();
  }

  Manifest manifest() throws IOException {
    return StoredManifest.read(plain, "r");
  }

  GarbageCollection.Report gc() throws IOException {
    return gc(maintainer);
  }

  /** Collects, and waits for no time to pass if others maintain the repository. */
  public static GarbageCollection.Report gc(S3RepositoryManager manager) throws IOException {
    return gc(manager, "r");
  }

  /** The same of any repository. */
  static GarbageCollection.Report gc(S3RepositoryManager manager, String name) throws IOException {
    return manager.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE, time -> {});
  }

  /** Sweeps until all that was there at the beginning and is not listed is gone. */
  void sweepAll() throws IOException {
    maintainer.sweep("r", Duration.ZERO, false);
    maintainer.sweep("r", Duration.ZERO, false);
  }

  /** Keys of all objects of a store but marks of sweeps and leases. */
  public static Set<String> stored(ObjectStore store) throws IOException {
    Set<String> keys = new TreeSet<>(StoreContent.keys(store, "objects/"));
    keys.removeIf(key -> key.contains("/sweep/") || key.endsWith("/lease"));
    return keys;
  }

  /** Keys of the objects that a manifest lists. */
  public static Set<String> listed(Manifest manifest) {
    return LiveObject.of(manifest).stream().map(LiveObject::key).collect(Collectors.toSet());
  }

  /** Asserts that whatever the refs lead to is there. */
  void isSound() throws IOException {
    Soundness.assertSound(maintainer, "r");
  }
}

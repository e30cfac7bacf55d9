// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.probe.StoreProbe;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreListener;

/**
 * A store of this library, with connections that stay open while repositories are opened cold, as
 * in a server that has run for a while.
 *
 * @param store its objects
 * @param settings its settings
 */
record LibraryRefs(ObjectStore store, S3Settings settings) implements RefSource {
  private static final String NAME = "refs";

  /** Opens a store whose requests a listener hears of. */
  static LibraryRefs open(String config, StoreListener listener) throws IOException {
    S3Settings settings = S3Endpoint.settings(config);
    return new LibraryRefs(new ObservedObjectStore(probed(settings), listener), settings);
  }

  /** Opens a store. */
  static LibraryRefs open(String config) throws IOException {
    S3Settings settings = S3Endpoint.settings(config);
    return new LibraryRefs(probed(settings), settings);
  }

  /**
   * Opens a store in the dialect that its server takes. That of a server which this run has started
   * is known: it needs no probe of thousands of requests.
   */
  private static ObjectStore probed(S3Settings settings) throws IOException {
    ObjectStore store = Stores.open(settings.location(), settings.options());
    if (S3Endpoint.ofThisJvm().filter(S3Endpoint::own).isEmpty()) {
      StoreProbe.admit(store);
    }
    return store;
  }

  /** The repository of the data set. */
  @Override
  public RefStore open() throws IOException {
    return new RepositoryRefs(manager().openRepository(NAME));
  }

  @Override
  public RefStore openForRequest() throws IOException {
    return new RepositoryRefs(manager().openRepository(NAME, Purpose.request()));
  }

  /**
   * A manager that has seen nothing yet. It is never closed, because that would close the store.
   */
  S3RepositoryManager manager() {
    return new S3RepositoryManager(store, settings);
  }

  /** Key and size of the snapshot of the data set. */
  record StoredSnapshot(String key, int size) {}

  StoredSnapshot snapshot() throws IOException {
    try (S3Repository repository = manager().openRepository(NAME)) {
      Manifest manifest = repository.manifest();
      RefSnapshot snapshot =
          manifest
              .refs()
              .base()
              .orElseThrow(() -> new IOException("the data set has no snapshot of its refs"));
      return new StoredSnapshot(
          ObjectNames.snapshotKey(manifest.repositoryId(), snapshot.id()),
          Math.toIntExact(snapshot.size()));
    }
  }

  /** Creates the repository of the data set. */
  void generate(RefSet refs) throws IOException {
    create(NAME, refs).close();
  }

  /** Creates a repository with refs, whose objects do not exist; all of them in a snapshot. */
  Repository create(String name, RefSet refs) throws IOException {
    S3Repository repository = createEmpty(name);
    RefBatch.createAll(repository, refs.all());
    repository.getRefDatabase().compact();
    return repository;
  }

  /**
   * Deletes written objects while they are only in the page cache: a disk busy with gigabytes of
   * unneeded data would dominate all times.
   */
  void discard(String prefix) throws IOException {
    List<String> keys = new ArrayList<>();
    store.list(prefix, object -> keys.add(object.key()));
    store.delete(keys);
  }

  S3Repository createEmpty(String name) throws IOException {
    return manager().createRepository(name);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}

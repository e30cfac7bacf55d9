// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance.interleaving;

import static org.jgits3.TestRepositories.force;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.maintenance.GarbageCollection;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.maintenance.Sweep;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;

/** One of the processes that use the repository {@code r}. Nothing of it expires late. */
final class Actor implements Closeable {
  final StagedStore store;
  final S3RepositoryManager manager;

  Actor(ObjectStore own) throws ConfigInvalidException {
    store = new StagedStore(own);
    manager = MaintenanceFixture.manager(store);
  }

  GarbageCollection.Report gc() throws IOException {
    return MaintenanceFixture.gc(manager);
  }

  Sweep.Report sweep() throws IOException {
    return manager.sweep("r", Duration.ZERO, false);
  }

  /** Sweeps the repository of an id, which may be deleted. */
  Sweep.Report sweep(String repositoryId) throws IOException {
    return manager.sweepById(repositoryId, Duration.ZERO, false);
  }

  /** Publishes a commit of its own, and lets a ref point to it. */
  ObjectId push(String ref) throws IOException {
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      ObjectId id = TestRepositories.commit(r, ref + " " + r.manifest().generation());
      force(r, ref, id);
      return id;
    }
  }

  /** Does something up to the next write of a manifest, with all that goes there uploaded. */
  <T> Sleeper<T> beforeWrite(Callable<T> work) throws Exception {
    return new Sleeper<>(store::beforeWrite, work);
  }

  /** Does something up to the next deletion of objects, which has been decided on then. */
  <T> Sleeper<T> beforeDelete(Callable<T> work) throws Exception {
    return new Sleeper<>(action -> store.before(Request.DELETE, action), work);
  }

  /** Does something up to the next listing of objects. */
  <T> Sleeper<T> beforeList(String prefix, Callable<T> work) throws Exception {
    return new Sleeper<>(action -> store.beforeList(prefix, action), work);
  }

  @Override
  public void close() throws IOException {
    manager.close();
  }
}

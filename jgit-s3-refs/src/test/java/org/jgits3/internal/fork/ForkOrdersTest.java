// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.ManifestReads;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.maintenance.Maintenance;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.maintenance.Sweep;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreContent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A fork beside the deletion of its template and a sweep of that: the requests of the two processes
 * in every order (E-m17, E-m18, E-m20, E-m21).
 */
class ForkOrdersTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final MemoryObjectStore base = new MemoryObjectStore();
  private String template;

  @BeforeEach
  void create() throws Exception {
    try (S3RepositoryManager manager = MaintenanceFixture.manager(base);
        S3Repository made = manager.imports().create(true)) {
      TestRepositories.force(made, ForkFixture.MAIN, TestRepositories.commit(made, "first"));
      template = made.manifest().repositoryId();
      manager.imports().freeze(made, made.manifest());
      manager.imports().publish(made, RepositoryName.of("t"));
    }
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private MemoryObjectStore copy() throws IOException {
    MemoryObjectStore copy = new MemoryObjectStore();
    for (String key : keys(base)) {
      byte[] bytes = StoreContent.bytes(base, key);
      copy.put(key, bytes, 0, bytes.length);
    }
    return copy;
  }

  private static Set<String> keys(ObjectStore store) throws IOException {
    return new TreeSet<>(StoreContent.keys(store, ""));
  }

  /** A process that sends its requests for manifests and objects one by one, when it is told to. */
  private final class Client {
    private final Semaphore turn = new Semaphore(1, true);
    private final Semaphore arrived = new Semaphore(0);
    private final Semaphore go = new Semaphore(0);
    private final ObjectStore store;
    private volatile boolean over;
    private Future<Void> work;

    Client(ObjectStore plain) {
      store =
          (ObjectStore)
              Proxy.newProxyInstance(
                  ObjectStore.class.getClassLoader(),
                  new Class<?>[] {ObjectStore.class},
                  (proxy, method, args) -> {
                    boolean stepwise =
                        Set.of("get", "putIf", "list", "delete").contains(method.getName())
                            && !args[0].toString().startsWith(RepositoryName.PREFIX);
                    if (stepwise) {
                      turn.acquireUninterruptibly();
                      arrived.release();
                      go.acquireUninterruptibly();
                    }
                    try {
                      return method.invoke(plain, args);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    } finally {
                      if (stepwise) {
                        turn.release();
                      }
                    }
                  });
    }

    /** Begins the work, and lets it run up to its first request. */
    void begin(Callable<Void> steps) {
      work =
          threads.submit(
              () -> {
                try {
                  return steps.call();
                } finally {
                  over = true;
                  arrived.release();
                }
              });
      arrived.acquireUninterruptibly();
    }

    boolean isOver() {
      return over;
    }

    /** Lets it make a request, and run up to the next one. */
    void step() {
      go.release();
      arrived.acquireUninterruptibly();
    }
  }

  /** The process that makes the next request; the first of two, if both can. */
  private enum Next {
    FORK_OR_SWEEP,
    FORK,
    SWEEP
  }

  @Test
  @Timeout(120)
  void a_fork_is_refused_or_keeps_its_objects_whenever_its_template_is_swept() throws Exception {
    List<Next> order = new ArrayList<>();
    Set<Boolean> made = new HashSet<>();
    int orders = 0;
    do {
      made.add(run(order));
      orders++;
      while (!order.isEmpty() && order.get(order.size() - 1) != Next.FORK_OR_SWEEP) {
        order.remove(order.size() - 1);
      }
      if (!order.isEmpty()) {
        order.set(order.size() - 1, Next.SWEEP);
      }
    } while (!order.isEmpty());
    assertThat(made).as("%d orders", orders).containsExactlyInAnyOrder(true, false);
  }

  /**
   * Runs both processes.
   *
   * @param order the order of the first requests; the rest is added
   * @return true if the fork was made
   */
  private boolean run(List<Next> order) throws Exception {
    MemoryObjectStore store = copy();
    Client forks = new Client(store);
    Client sweeps = new Client(store);
    RepositoryCatalog catalog = new RepositoryCatalog(forks.store, ManifestCommitter.DEADLINE);
    VersionedManifest seen = ManifestFile.read(store, template).orElseThrow();
    forks.begin(
        () -> {
          catalog.fork(RepositoryName.of("f"), seen, ManifestReads.VALIDATED);
          return null;
        });
    sweeps.begin(
        () -> {
          deleteAndSweep(sweeps.store);
          return null;
        });
    for (int i = 0; !forks.isOver() || !sweeps.isOver(); i++) {
      if (i == order.size()) {
        Next either = sweeps.isOver() ? Next.FORK : Next.FORK_OR_SWEEP;
        order.add(forks.isOver() ? Next.SWEEP : either);
      }
      (order.get(i) == Next.SWEEP ? sweeps : forks).step();
    }
    sweeps.work.get();
    boolean made = isMade(forks.work);
    try (S3RepositoryManager manager = MaintenanceFixture.manager(store)) {
      Sweep.Report again = manager.sweepById(template, Duration.ZERO, false);
      if (made) {
        assertThat(again.fork()).as("%s", order).contains("f");
        Manifest fork = StoredManifest.read(store, "f");
        assertThat(keys(store)).as("%s", order).containsAll(keys(fork));
      } else {
        assertThatThrownBy(() -> manager.openRepository("f"))
            .isInstanceOf(RepositoryNotFoundException.class);
        assertThat(keys(store)).noneMatch(key -> key.startsWith(ObjectNames.prefix(template)));
      }
    }
    return made;
  }

  private static Set<String> keys(Manifest manifest) {
    return LiveObject.of(manifest).stream().map(LiveObject::key).collect(Collectors.toSet());
  }

  private void deleteAndSweep(ObjectStore store) throws IOException {
    new RepositoryCatalog(store, ManifestCommitter.DEADLINE)
        .delete(Optional.of(template), RepositoryName.of("t"), any -> {});
    VersionedManifest tombstone = ManifestFile.read(store, template).orElseThrow();
    Maintenance.sweepNameless(store, tombstone, Duration.ZERO, false);
  }

  private static boolean isMade(Future<Void> fork) throws InterruptedException {
    try {
      fork.get();
      return true;
    } catch (ExecutionException refused) {
      assertThat(refused).hasCauseInstanceOf(ManifestException.Gone.class);
      return false;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.server.http.GitHttpServer;

/**
 * Serves a store, pushes to it and clones from it with a real git, then creates refs by the hundred
 * thousand and looks them up; measures every step, and checks what comes back.
 *
 * <p>Works in a repository of its own under a name that nothing else has, and removes it, its
 * objects included, whatever happens. Only its tombstone, a few hundred bytes, stays, as it does
 * after every deletion.
 */
public final class Tour {
  private final S3RepositoryManager manager;
  private final RequestCounts counts;
  private final int refs;
  private final Consumer<Step> listener;
  private final List<Step> steps = new ArrayList<>();

  /**
   * A tour.
   *
   * @param manager repositories of the store to show
   * @param counts counts of the requests to that store
   * @param refs how many refs to create
   * @param listener told of each step when it ended
   */
  public Tour(
      S3RepositoryManager manager, RequestCounts counts, int refs, Consumer<Step> listener) {
    this.manager = manager;
    this.counts = counts;
    this.refs = refs;
    this.listener = listener;
  }

  /** What a step does. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  /**
   * Takes the tour.
   *
   * @return the steps, in order
   * @throws IOException with one line that says which step did not do what it should
   * @throws InterruptedException if the thread was interrupted
   */
  public List<Step> take() throws IOException, InterruptedException {
    String name = "demo-" + Long.toHexString(System.nanoTime()) + ProcessHandle.current().pid();
    try (ScratchDirectory scratch = new ScratchDirectory("jgit-s3-demo");
        GitHttpServer server =
            GitHttpServer.builder().shutdownLimit(Duration.ofSeconds(5)).start(manager)) {
      manager.createRepository(name).close();
      try {
        new GitTour(this, scratch, server.uri().resolve(name + ".git").toString()).take();
        new RefsTour(this, manager, name, refs).take();
      } finally {
        remove(name);
      }
    }
    return List.copyOf(steps);
  }

  /** Measures a step. */
  void step(String name, Work work) throws IOException, InterruptedException {
    RequestCounts.Snapshot before = counts.snapshot();
    long start = System.nanoTime();
    work.run();
    Step step = Step.of(name, System.nanoTime() - start, counts.snapshot().since(before));
    steps.add(step);
    listener.accept(step);
  }

  /** Fails the tour if something is not as it should be. */
  static void check(boolean right, String wrong) throws IOException {
    if (!right) {
      throw new IOException(wrong);
    }
  }

  /** Removes the repository. An interrupt waits, since an interrupted thread would send nothing. */
  private void remove(String name) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      removeNow(name);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void removeNow(String name) throws IOException {
    String objects;
    try (S3Repository repository = manager.openRepository(name)) {
      objects = "objects/" + repository.manifest().repositoryId() + "/";
    }
    manager.delete(name);
    List<String> keys = new ArrayList<>();
    manager.store().list(objects, object -> keys.add(object.key()));
    manager.store().delete(keys);
  }
}

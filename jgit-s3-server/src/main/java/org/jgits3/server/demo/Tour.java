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
 * Serves a store, pushes to it and clones from it with a real git, then creates hundreds of
 * thousands of refs and looks them up. Measures every step, and checks its result.
 *
 * <p>Works in a repository with a unique name, and always removes it with its objects. Only its
 * tombstone, a few hundred bytes, stays, as after every deletion.
 */
public final class Tour {
  private final S3RepositoryManager manager;
  private final RequestCounts counts;
  private final int refs;
  private final Consumer<Step> listener;

  /**
   * Creates a tour.
   *
   * @param manager repositories of the store to show
   * @param counts counts of the requests to that store
   * @param refs number of refs to create
   * @param listener receives each step when it has ended
   */
  public Tour(
      S3RepositoryManager manager, RequestCounts counts, int refs, Consumer<Step> listener) {
    this.manager = manager;
    this.counts = counts;
    this.refs = refs;
    this.listener = listener;
  }

  /** Work of a step. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  /**
   * Runs the tour.
   *
   * @throws IOException if a step failed; its one-line message names the step
   * @throws InterruptedException if the thread was interrupted
   */
  public void take() throws IOException, InterruptedException {
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
  }

  /** Measures a step. */
  void step(String name, Work work) throws IOException, InterruptedException {
    RequestCounts.Snapshot before = counts.snapshot();
    long start = System.nanoTime();
    work.run();
    listener.accept(Step.of(name, System.nanoTime() - start, counts.snapshot().since(before)));
  }

  /** Fails the tour if a condition does not hold. */
  static void check(boolean right, String wrong) throws IOException {
    if (!right) {
      throw new IOException(wrong);
    }
  }

  /**
   * Removes the repository. Delays an interrupt until then, because an interrupted thread sends no
   * requests.
   */
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

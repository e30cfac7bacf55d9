// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.internal.pack.file.BlockCache;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;

/**
 * A process that has just started, as far as the store can tell: what it knows of the repositories
 * it has asked for itself. Only one at a time reads packs, since JGit's cache of them is one. Notes
 * all requests, but not those of work in the background, which come whenever they may.
 */
final class CountedProcess implements Closeable {
  private static final Set<String> BACKGROUND = Set.of("jgit-s3-compaction", "jgit-s3-maintenance");

  private final S3RepositoryManager manager;
  private final List<Cost.Request> requests = new ArrayList<>(); // guarded by itself

  private CountedProcess(S3Settings settings) throws IOException {
    manager =
        new S3RepositoryManager(
            new ObservedObjectStore(
                Stores.open(settings.location(), settings.options()), this::requestEnded),
            settings);
  }

  /**
   * Starts one.
   *
   * @param config text that leads to the store
   */
  static CountedProcess start(String config) throws IOException {
    Config parsed = new Config();
    try {
      parsed.fromText(config);
      DfsBlockCache.reconfigure(BlockCache.configuration(parsed, Runtime.getRuntime().maxMemory()));
      return new CountedProcess(S3Settings.from(parsed, "requests"));
    } catch (ConfigInvalidException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private void requestEnded(RequestKind kind, RequestOutcome outcome, long bytes, long nanos) {
    long end = System.nanoTime();
    if (!BACKGROUND.contains(Thread.currentThread().getName())) {
      synchronized (requests) {
        requests.add(new Cost.Request(kind, bytes, end - nanos, end));
      }
    }
  }

  S3RepositoryManager manager() {
    return manager;
  }

  /** Something that is done to a repository. */
  @FunctionalInterface
  interface Operation {
    void run() throws IOException, InterruptedException;
  }

  /** Counts the requests of an operation. */
  Cost cost(Operation operation) throws IOException, InterruptedException {
    synchronized (requests) {
      requests.clear();
    }
    operation.run();
    synchronized (requests) {
      return new Cost(List.copyOf(requests));
    }
  }

  @Override
  public void close() throws IOException {
    manager.close();
  }
}

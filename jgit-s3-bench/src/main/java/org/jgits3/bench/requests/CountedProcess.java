// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.io.Closeable;
import java.io.IOException;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.internal.pack.file.BlockCache;
import org.jgits3.internal.store.metrics.ObservedObjectStore;

/**
 * A process that has just started, as far as the store can tell: what it knows of the repositories
 * it has asked for itself. Only one at a time reads packs, since JGit's cache of them is one.
 */
final class CountedProcess implements Closeable {
  private final RequestTrace trace = new RequestTrace();
  private final S3RepositoryManager manager;

  private CountedProcess(S3Settings settings) throws IOException {
    manager =
        new S3RepositoryManager(
            new ObservedObjectStore(Stores.open(settings.location(), settings.options()), trace),
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
    trace.take();
    operation.run();
    return trace.take();
  }

  @Override
  public void close() throws IOException {
    manager.close();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;

/**
 * Defaults of the configuration of repositories. Precedence, highest first: the repository's own
 * config, the server's options, the administrator's config, the built-in values.
 */
final class TransferDefaults {
  /** Bytes of the objects that one thread compares, of its deltas, and of the largest object. */
  private static final long DELTA_SEARCH = 1 << 20;

  private static final int DELTA_THREADS = 4;

  private final Config defaults;

  /**
   * Creates the stack of defaults.
   *
   * @param administrator config given by the administrator; read once
   * @param maxPackSize maximum bytes of a push; 0 for no limit, empty to leave it to the config
   * @param maxObjectSize maximum bytes of an object; 0 for no limit, empty to leave it to the
   *     config
   */
  TransferDefaults(Config administrator, Optional<Long> maxPackSize, Optional<Long> maxObjectSize) {
    defaults = new Config(copy(administrator, builtIn()));
    maxPackSize.ifPresent(bytes -> defaults.setLong("receive", null, "maxInputSize", bytes));
    maxObjectSize.ifPresent(
        bytes -> defaults.setLong("receive", null, "maxObjectSizeLimit", bytes));
  }

  /**
   * Puts a repository's config on top of the defaults.
   *
   * @param repository its own config
   * @return the effective config of its transfers
   */
  Config under(Config repository) {
    return copy(repository, defaults);
  }

  private static Config builtIn() {
    Config config = new Config();
    config.setBoolean("receive", null, "fsckObjects", true);
    config.setBoolean("receive", null, "advertisePushOptions", true);
    // git http-backend buffers 10 MB of gzip, which is twice as much inflated; a clone of 650,000
    // refs fits.
    config.setLong("http", null, "maxRequestBuffer", 32L << 20);
    config.setBoolean("uploadpack", null, "allowFilter", true);
    config.setBoolean("uploadpack", null, "advertiseWaitForDone", true); // for push.negotiate
    boundDeltaSearch(config);
    return config;
  }

  /**
   * Bounds the memory of each fetch. JGit searches deltas for objects that are stored without one,
   * in as many threads as there are processors. By default, each thread keeps up to ten objects of
   * up to 50 MB, with their indexes.
   */
  private static void boundDeltaSearch(Config config) {
    config.setLong("pack", null, "windowMemory", DELTA_SEARCH);
    config.setLong("pack", null, "deltaCacheSize", DELTA_SEARCH);
    config.setLong("core", null, "bigFileThreshold", DELTA_SEARCH);
    int processors = Runtime.getRuntime().availableProcessors();
    config.setInt("pack", null, "threads", Math.min(DELTA_THREADS, processors));
  }

  private static Config copy(Config source, Config base) {
    Config result = new Config(base);
    try {
      result.fromText(source.toText());
    } catch (ConfigInvalidException e) {
      throw new IllegalArgumentException("config cannot be read: " + e.getMessage(), e);
    }
    return result;
  }
}

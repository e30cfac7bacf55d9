// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.pack.PackConfig;

/**
 * Defaults of the configuration of repositories. Precedence, highest first: the repository's own
 * config, the server's options, the administrator's config, the built-in values. A repository can
 * only lower what bounds the work and memory of the server, because an import brings its
 * configuration along.
 */
final class TransferDefaults {
  /** Bytes of the objects that one thread compares, of its deltas, and of the largest object. */
  private static final long DELTA_SEARCH = 1 << 20;

  private static final int DELTA_THREADS = 4;

  /** Bytes of the commands of a push, as JGit has it. */
  private static final long COMMANDS = 3L << 20;

  /** Keys that bound work or memory; none, or a value below 1, is no limit. */
  private static final List<Key> LIMITS =
      List.of(
          new Key("pack", "threads"),
          new Key("pack", "window"),
          new Key("pack", "depth"),
          new Key("pack", "windowMemory"),
          new Key("pack", "deltaCacheSize"),
          new Key("core", "bigFileThreshold"),
          new Key("http", "maxRequestBuffer"),
          new Key("uploadpack", "maxWalkedCommits"),
          new Key("receive", "maxInputSize"),
          new Key("receive", "maxObjectSizeLimit"),
          new Key("receive", "maxCommandBytes"),
          new Key("receive", "maxCommandDiscardBytes"));

  /** Switches of the work of each fetch. */
  private static final List<Key> SWITCHES =
      List.of(
          new Key("pack", "reuseDeltas"),
          new Key("pack", "reuseObjects"),
          new Key("pack", "deltaCompression"));

  private final Config defaults;

  /** Key of a config, without a subsection. */
  private record Key(String section, String name) {
    /** Limit in a config; the maximum of a long if there is none. */
    long limit(Config config) {
      try {
        long value = config.getLong(section, name, 0);
        return value > 0 ? value : Long.MAX_VALUE;
      } catch (IllegalArgumentException e) {
        return Long.MAX_VALUE; // not a number
      }
    }
  }

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
   * Puts a repository's config on top of the defaults, within the limits of these.
   *
   * @param repository its own config
   * @return the effective config of its transfers
   */
  Config under(Config repository) {
    Config effective = copy(repository, defaults);
    for (Key key : LIMITS) {
      if (key.limit(effective) > key.limit(defaults)) {
        effective.setLong(key.section(), null, key.name(), key.limit(defaults));
      }
    }
    for (Key key : SWITCHES) {
      boolean server = defaults.getBoolean(key.section(), key.name(), true);
      effective.setBoolean(key.section(), null, key.name(), server);
    }
    return effective;
  }

  private static Config builtIn() {
    Config config = new Config();
    config.setBoolean("receive", null, "fsckObjects", true);
    config.setBoolean("receive", null, "advertisePushOptions", true);
    // git http-backend buffers 10 MB of gzip, which is twice as much inflated; a clone of 650,000
    // refs fits.
    config.setLong("http", null, "maxRequestBuffer", 32L << 20);
    // Some 80 s of processor time. A fetch of 20,000 refs that are 10,000 commits ahead fits.
    config.setLong("uploadpack", null, "maxWalkedCommits", 1L << 30);
    config.setBoolean("uploadpack", null, "allowFilter", true);
    config.setBoolean("uploadpack", null, "advertiseWaitForDone", true); // for push.negotiate
    config.setLong("receive", null, "maxCommandBytes", COMMANDS);
    config.setLong("receive", null, "maxCommandDiscardBytes", 3 * COMMANDS);
    boundDeltaSearch(config);
    return config;
  }

  /**
   * Bounds the memory of each fetch. JGit searches deltas for objects that are stored without one,
   * in as many threads as there are processors. By default, each thread keeps up to ten objects of
   * up to 50 MB, with their indexes.
   */
  private static void boundDeltaSearch(Config config) {
    config.setInt("pack", null, "window", PackConfig.DEFAULT_DELTA_SEARCH_WINDOW_SIZE);
    config.setInt("pack", null, "depth", PackConfig.DEFAULT_MAX_DELTA_DEPTH);
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

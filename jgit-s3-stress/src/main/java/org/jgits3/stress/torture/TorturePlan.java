// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Extent of a run.
 *
 * @param root directory of the sources
 * @param directory directory of the run, emptied first
 * @param length how long processes work
 * @param seed chooses operations, faults, and what is killed
 * @param server S3 server to use; empty to start one
 * @param workers JVMs that use the library
 * @param threads threads in each
 * @param servers JVMs that serve git, and clients of git
 * @param lie a fault of a store that acknowledges writes and does not make them, which must be
 *     found out; empty for the faults that the library must cope with
 */
public record TorturePlan(
    Path root,
    Path directory,
    Duration length,
    long seed,
    Optional<URI> server,
    int workers,
    int threads,
    int servers,
    Optional<Fault> lie) {
  private static final int WORKERS = 3;
  private static final int THREADS = 4;
  private static final int SERVERS = 2;

  /**
   * A run of usual size.
   *
   * @param root directory of the sources
   * @param directory directory of the run, emptied first
   * @param length how long processes work
   * @param seed chooses operations, faults, and what is killed
   * @param server S3 server to use; empty to start one
   * @return the plan
   */
  public static TorturePlan of(
      Path root, Path directory, Duration length, long seed, Optional<URI> server) {
    return new TorturePlan(
        root, directory, length, seed, server, WORKERS, THREADS, SERVERS, Optional.empty());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * Options of the connection to an S3 store. Credentials are not among them: they come from the AWS
 * default chain.
 *
 * @param endpoint endpoint of an S3-compatible server; empty for AWS
 * @param region region; empty to take it from the AWS default chain
 * @param pathStyle true if the bucket is part of the path instead of the host name
 * @param connections most connections at a time, at least 1
 * @param requestDeadline time, from the first failure of a request that is safe to repeat, during
 *     which it is retried
 */
public record StoreOptions(
    Optional<URI> endpoint,
    Optional<String> region,
    boolean pathStyle,
    int connections,
    Duration requestDeadline) {
  /** One minute: long enough to restart or replace a server. */
  public static final Duration REQUEST_DEADLINE = Duration.ofMinutes(1);

  /** AWS with the settings of its default chain. */
  public static final StoreOptions DEFAULT =
      new StoreOptions(Optional.empty(), Optional.empty(), false, 64);

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException with one line that says what is wrong
   */
  public StoreOptions {
    if (connections < 1) {
      throw new IllegalArgumentException(connections + " connections; at least 1 is needed");
    }
    if (requestDeadline.isNegative()) {
      throw new IllegalArgumentException("a deadline of " + requestDeadline);
    }
  }

  /**
   * Options with the default deadline of requests.
   *
   * @param endpoint as {@link #endpoint}
   * @param region as {@link #region}
   * @param pathStyle as {@link #pathStyle}
   * @param connections as {@link #connections}
   */
  public StoreOptions(
      Optional<URI> endpoint, Optional<String> region, boolean pathStyle, int connections) {
    this(endpoint, region, pathStyle, connections, REQUEST_DEADLINE);
  }
}

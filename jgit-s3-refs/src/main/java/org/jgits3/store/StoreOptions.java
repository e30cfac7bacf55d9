// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.net.URI;
import java.util.Optional;

/**
 * How to reach an S3 store. Credentials are not among the options: they come from the AWS default
 * chain.
 *
 * @param endpoint endpoint of an S3-compatible server; empty for AWS
 * @param region region; empty to take it from the AWS default chain
 * @param pathStyle whether the bucket goes into the path instead of the host name
 * @param connections most connections at a time
 */
public record StoreOptions(
    Optional<URI> endpoint, Optional<String> region, boolean pathStyle, int connections) {
  /** AWS, with what its default chain says. */
  public static final StoreOptions DEFAULT =
      new StoreOptions(Optional.empty(), Optional.empty(), false, 64);
}

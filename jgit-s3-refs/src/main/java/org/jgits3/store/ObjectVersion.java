// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.util.Objects;

/**
 * An opaque token that stands for one version of one object: the ETag of S3, a content hash of a
 * directory.
 *
 * <p>Two equal versions of one key mean equal bytes. The value means nothing else: it is not a
 * digest, has no order, and cannot be compared with one of another key.
 *
 * @param value the token exactly as the store gave it
 */
public record ObjectVersion(String value) {
  /** Checks that there is a token. */
  public ObjectVersion {
    Objects.requireNonNull(value, "value");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.nio.file.Path;

/** Where a store is: {@code file:DIR} or {@code s3://bucket/prefix}. */
public sealed interface StoreLocation {
  /**
   * A local directory.
   *
   * @param path the directory; created when the store is opened
   */
  record Directory(Path path) implements StoreLocation {
    @Override
    public String toString() {
      return "file:" + path;
    }
  }

  /**
   * A bucket, or a part of one.
   *
   * @param bucket bucket name
   * @param prefix prefix of all keys, without leading or trailing slash; empty for none
   */
  record Bucket(String bucket, String prefix) implements StoreLocation {
    @Override
    public String toString() {
      return "s3://" + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
    }
  }

  /**
   * Parses a location.
   *
   * @param url {@code file:DIR} or {@code s3://bucket/prefix}
   * @return the location
   * @throws IllegalArgumentException with one line that says what is wrong
   */
  static StoreLocation parse(String url) {
    throw new UnsupportedOperationException(url);
  }

  /**
   * Opens the store. Does no request; probe it before trusting it.
   *
   * @param options how to reach S3; ignored for a directory
   * @return the store
   * @throws IOException if a directory cannot be created or used
   */
  default ObjectStore open(StoreOptions options) throws IOException {
    throw new UnsupportedOperationException(options.toString());
  }
}

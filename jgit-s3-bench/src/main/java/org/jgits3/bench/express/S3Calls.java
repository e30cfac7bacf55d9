// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;

/** Requests, as one engine makes them. Safe for use by many threads. */
interface S3Calls extends AutoCloseable {
  /** Reads an object whole. */
  byte[] get(String bucket, String key) throws IOException;

  /** Writes an object. */
  void put(String bucket, String key, byte[] body) throws IOException;

  /** Deletes an object. */
  void delete(String bucket, String key) throws IOException;

  @Override
  void close();
}

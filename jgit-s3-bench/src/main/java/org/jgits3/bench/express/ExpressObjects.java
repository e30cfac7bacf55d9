// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;

/** What the benchmarks read, in each bucket; removed in the end, with what they have written. */
final class ExpressObjects implements Closeable {
  private final ExpressTarget target;
  private final S3Calls calls;

  private ExpressObjects(ExpressTarget target, S3Calls calls) {
    this.target = target;
    this.calls = calls;
  }

  /**
   * Writes the objects.
   *
   * @throws IOException if a bucket does not take them, with one line that names it
   */
  static ExpressObjects write(ExpressTarget target) throws IOException {
    S3Calls calls;
    try {
      calls = new SdkCalls(target, Apache5HttpClient.create(), Optional.empty());
    } catch (SdkException e) {
      throw new IOException(e.getMessage() + " (set AWS_REGION and credentials)", e);
    }
    ExpressObjects objects = new ExpressObjects(target, calls);
    try {
      for (String bucket : Set.copyOf(target.buckets())) {
        objects.write(bucket);
      }
      return objects;
    } catch (IOException e) {
      calls.close();
      throw e;
    }
  }

  private void write(String bucket) throws IOException {
    try {
      for (ExpressCase what : ExpressCase.values()) {
        calls.put(bucket, ExpressTarget.toRead(what.size()), ExpressTarget.body(what.size()));
      }
    } catch (SdkException e) {
      throw new IOException("bucket " + bucket + " cannot be written: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() throws IOException {
    Set<String> keys = new LinkedHashSet<>();
    Arrays.stream(ExpressCase.values()).forEach(c -> keys.add(ExpressTarget.toRead(c.size())));
    for (int i = 0; i < target.calls(); i++) {
      keys.add(ExpressTarget.written(i));
    }
    try (calls) {
      for (String bucket : Set.copyOf(target.buckets())) {
        for (String key : keys) {
          calls.delete(bucket, key);
        }
      }
    } catch (SdkException e) {
      throw new IOException(
          "objects under " + ExpressTarget.KEYS + " are left in buckets: " + e.getMessage(), e);
    }
  }
}

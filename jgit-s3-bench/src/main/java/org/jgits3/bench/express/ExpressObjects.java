// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jgits3.bench.process.Leftovers;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;

/**
 * Objects that the benchmarks read, in each bucket. Removed at the end, with the objects written,
 * also if this JVM is asked to end before.
 */
final class ExpressObjects implements Closeable {
  /** Time that a server may work on a request whose client has gone. */
  private static final Duration IN_FLIGHT = Duration.ofSeconds(1);

  private final ExpressTarget target;
  private final S3Calls calls;
  private final Closeable atEnd = this::removeAfterOthers;

  /** Buckets that have some, or may. Guarded by this. */
  private final Set<String> used = new LinkedHashSet<>();

  private ExpressObjects(ExpressTarget target, S3Calls calls) {
    this.target = target;
    this.calls = calls;
  }

  /**
   * Writes the objects.
   *
   * @throws IOException if a bucket does not take them, with one line that names it; no other one
   *     has any then
   */
  static ExpressObjects write(ExpressTarget target) throws IOException {
    S3Calls calls;
    try {
      calls = new SdkCalls(target, Apache5HttpClient.create());
    } catch (SdkException e) {
      throw new IOException(e.getMessage() + " (set AWS_REGION and credentials)", e);
    }
    ExpressObjects objects = new ExpressObjects(target, calls);
    Leftovers.add(objects.atEnd);
    try {
      for (String bucket : new LinkedHashSet<>(target.buckets())) {
        objects.write(bucket);
      }
      return objects;
    } catch (IOException e) {
      objects.closeAfter(e);
      throw e;
    }
  }

  private synchronized void write(String bucket) throws IOException {
    used.add(bucket);
    try {
      for (ExpressCase what : ExpressCase.values()) {
        calls.put(bucket, ExpressTarget.toRead(what.size()), ExpressTarget.body(what.size()));
      }
    } catch (SdkException e) {
      throw new IOException("bucket " + bucket + " cannot be written: " + e.getMessage(), e);
    }
  }

  private void closeAfter(IOException failure) {
    try {
      close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void close() throws IOException {
    try (calls) {
      remove();
    } finally {
      Leftovers.remove(atEnd);
    }
  }

  /** Removes them, also what a JVM that has just been killed had sent and is stored only now. */
  private synchronized void removeAfterOthers() throws IOException {
    Set<String> all = Set.copyOf(used);
    remove();
    LockSupport.parkNanos(IN_FLIGHT.toNanos());
    used.addAll(all);
    remove();
  }

  /** Removes them from all buckets that allow it. */
  private synchronized void remove() throws IOException {
    Set<String> keys = new LinkedHashSet<>();
    Arrays.stream(ExpressCase.values()).forEach(c -> keys.add(ExpressTarget.toRead(c.size())));
    for (int i = 0; i < target.calls(); i++) {
      keys.add(ExpressTarget.written(i));
    }
    List<String> left = new ArrayList<>();
    for (String bucket : List.copyOf(used)) {
      try {
        for (String key : keys) {
          calls.delete(bucket, key);
        }
        used.remove(bucket);
      } catch (SdkException e) {
        left.add(bucket + " (" + e.getMessage() + ")");
      }
    }
    if (!left.isEmpty()) {
      throw new IOException(
          "objects under " + ExpressTarget.KEYS + " are left in " + String.join(", ", left));
    }
  }
}

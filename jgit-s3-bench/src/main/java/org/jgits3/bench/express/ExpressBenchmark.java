// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;

/** Requests to buckets, a number of them in each invocation. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ExpressBenchmark {
  /** The SDK as it is by default. */
  static final String SDK = "sdk";

  /** The library's store. */
  static final String LIBRARY = "jgit-s3";

  /** Bytes of an object. */
  @Param("65536")
  public int size;

  /** Client that makes the requests. */
  @Param({SDK, LIBRARY})
  public String engine;

  /** True if requests stay within the JVM. */
  @Param("false")
  public boolean stub;

  private ExpressTarget target;
  private S3Calls calls;
  private ExecutorService threads;
  private byte[] body;

  /** For JMH. */
  public ExpressBenchmark() {}

  /**
   * Opens the client.
   *
   * @throws IOException if it cannot be opened
   */
  @Setup
  public void open() throws IOException {
    target = ExpressTarget.ofThisJvm();
    body = ExpressTarget.body(size);
    Optional<SdkHttpClient> http = stub ? Optional.of(new StubHttpClient(body)) : Optional.empty();
    calls =
        engine.equals(LIBRARY)
            ? new LibraryCalls(target, http, body)
            : new SdkCalls(target, http.orElseGet(Apache5HttpClient::create));
    threads = Executors.newFixedThreadPool(target.calls());
  }

  /** Closes the client. */
  @TearDown
  public void close() {
    threads.shutdownNow();
    calls.close();
  }

  /**
   * Reads objects one after the other.
   *
   * @param blackhole takes them
   * @throws IOException if one cannot be read
   */
  @Benchmark
  public void getObject(Blackhole blackhole) throws IOException {
    for (int i = 0; i < target.calls(); i++) {
      blackhole.consume(get(i, ExpressTarget.toRead(size)));
    }
  }

  private byte[] get(int request, String key) throws IOException {
    byte[] bytes = calls.get(target.bucket(request), key);
    if (bytes.length != size) {
      throw new IOException(key + " has " + bytes.length + " bytes instead of " + size);
    }
    return bytes;
  }

  /**
   * Writes objects one after the other.
   *
   * @throws IOException if one cannot be written
   */
  @Benchmark
  public void putObject() throws IOException {
    for (int i = 0; i < target.calls(); i++) {
      put(i);
    }
  }

  private void put(int request) throws IOException {
    calls.put(target.bucket(request), ExpressTarget.written(request), body);
  }

  /**
   * Writes, reads and deletes objects one after the other.
   *
   * @param blackhole takes them
   * @throws IOException if a request fails
   */
  @Benchmark
  public void putGetDelete(Blackhole blackhole) throws IOException {
    putObject();
    for (int i = 0; i < target.calls(); i++) {
      blackhole.consume(get(i, ExpressTarget.written(i)));
    }
    for (int i = 0; i < target.calls(); i++) {
      calls.delete(target.bucket(i), ExpressTarget.written(i));
    }
  }

  /**
   * Writes objects all at the same time, and then reads them all at the same time.
   *
   * @param blackhole takes them
   * @throws InterruptedException if the thread was interrupted
   * @throws ExecutionException if a request fails
   */
  @Benchmark
  public void concurrentPutGet(Blackhole blackhole)
      throws InterruptedException, ExecutionException {
    List<Callable<byte[]>> puts = new ArrayList<>();
    List<Callable<byte[]>> gets = new ArrayList<>();
    for (int i = 0; i < target.calls(); i++) {
      int request = i;
      puts.add(
          () -> {
            put(request);
            return body;
          });
      gets.add(() -> get(request, ExpressTarget.written(request)));
    }
    for (List<Callable<byte[]>> all : List.of(puts, gets)) {
      for (Future<byte[]> done : threads.invokeAll(all)) {
        blackhole.consume(done.get());
      }
    }
  }
}

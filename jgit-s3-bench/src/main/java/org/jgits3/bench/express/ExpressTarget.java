// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jgits3.bench.server.S3Endpoint;

/**
 * Buckets to call, and the number of calls. Goes to the forked JVMs as system properties.
 *
 * @param endpoint server that has the buckets; empty for AWS, in the region of its environment
 * @param buckets their names, at least one
 * @param calls calls of one sample
 */
record ExpressTarget(Optional<S3Endpoint> endpoint, List<String> buckets, int calls) {
  /** Prefix of the keys of objects. */
  static final String KEYS = "jgit-s3-bench/express/";

  private static final String BUCKETS = "jgits3.bench.express.buckets";
  private static final String CALLS = "jgits3.bench.express.calls";

  /**
   * No server is there: what is sent never leaves the JVM. It is signed as for S3, to which one
   * speaks over TLS: without the SHA-256 of the body, which only plain HTTP asks for.
   */
  static ExpressTarget nowhere(int calls) {
    S3Endpoint none = S3Endpoint.own(URI.create("https://127.0.0.1:1"));
    return new ExpressTarget(Optional.of(none), List.of("stub"), calls);
  }

  static ExpressTarget ofThisJvm() {
    return new ExpressTarget(
        S3Endpoint.ofThisJvm(),
        List.of(System.getProperty(BUCKETS).split(",")),
        Integer.getInteger(CALLS));
  }

  List<String> jvmOptions() {
    List<String> options = new ArrayList<>(endpoint.map(S3Endpoint::jvmOptions).orElse(List.of()));
    options.add("-D" + BUCKETS + "=" + String.join(",", buckets));
    options.add("-D" + CALLS + "=" + calls);
    return options;
  }

  void useHere() {
    endpoint.ifPresent(S3Endpoint::useHere);
    System.setProperty(BUCKETS, String.join(",", buckets));
    System.setProperty(CALLS, Integer.toString(calls));
  }

  /** The bucket of a request: each has another one than the request before. */
  String bucket(int request) {
    return buckets.get(request % buckets.size());
  }

  /** Bytes of every object of a size: random, as those of packs seem, and always the same. */
  static byte[] body(int size) {
    byte[] body = new byte[size];
    new Random(size).nextBytes(body);
    return body;
  }

  /** Name of an object to be read. */
  static String toRead(int size) {
    return KEYS + "test-" + size;
  }

  /** Name of the object that a request of a benchmark writes. */
  static String written(int request) {
    return KEYS + "written-" + request;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Buckets to call, and the number of calls. Goes to the forked JVMs as system properties.
 *
 * @param endpoint server that has the buckets; empty for AWS, in the region of its environment
 * @param region region of that server
 * @param buckets their names, at least one
 * @param calls calls of one sample
 */
record ExpressTarget(Optional<URI> endpoint, String region, List<String> buckets, int calls) {
  /** Prefix of the keys of objects. */
  static final String KEYS = "jgit-s3-bench/express/";

  private static final String PROPERTY = "jgits3.bench.express.";
  private static final String ENDPOINT = PROPERTY + "endpoint";
  private static final String REGION = PROPERTY + "region";
  private static final String BUCKETS = PROPERTY + "buckets";
  private static final String CALLS = PROPERTY + "calls";

  /**
   * No server is there: what is sent never leaves the JVM. It is signed as for S3, to which one
   * speaks over TLS: without the SHA-256 of the body, which only plain HTTP asks for.
   */
  static ExpressTarget nowhere(int calls) {
    return new ExpressTarget(
        Optional.of(URI.create("https://127.0.0.1:1")), "us-east-1", List.of("stub"), calls);
  }

  static ExpressTarget ofThisJvm() {
    return new ExpressTarget(
        Optional.of(System.getProperty(ENDPOINT)).filter(e -> !e.isEmpty()).map(URI::create),
        System.getProperty(REGION),
        List.of(System.getProperty(BUCKETS).split(",")),
        Integer.getInteger(CALLS));
  }

  private Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(ENDPOINT, endpoint.map(URI::toString).orElse(""));
    properties.put(REGION, region);
    properties.put(BUCKETS, String.join(",", buckets));
    properties.put(CALLS, Integer.toString(calls));
    return properties;
  }

  List<String> jvmOptions() {
    List<String> options = new ArrayList<>();
    properties().forEach((name, value) -> options.add("-D" + name + "=" + value));
    return options;
  }

  void useHere() {
    properties().forEach(System::setProperty);
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

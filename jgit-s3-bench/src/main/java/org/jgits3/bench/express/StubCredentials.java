// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Credentials for requests that never leave the JVM, but are signed as all are. This JVM has them
 * until they are closed, since benchmarks that are not forked run in it; a later suite may use a
 * server with other credentials.
 */
final class StubCredentials {
  private static final Map<String, String> PROPERTIES =
      Map.of(
          "aws.accessKeyId",
          "stub",
          "aws.secretAccessKey",
          "stub-secret",
          "aws.region",
          "us-east-1");

  private final Map<String, Optional<String>> before = new HashMap<>();

  private StubCredentials() {
    PROPERTIES
        .keySet()
        .forEach(name -> before.put(name, Optional.ofNullable(System.getProperty(name))));
  }

  static List<String> jvmOptions() {
    return PROPERTIES.entrySet().stream().map(e -> "-D" + e.getKey() + "=" + e.getValue()).toList();
  }

  /** Makes this JVM have them. */
  static StubCredentials useHere() {
    StubCredentials credentials = new StubCredentials();
    PROPERTIES.forEach(System::setProperty);
    return credentials;
  }

  void close() {
    before.forEach(
        (name, value) ->
            value.ifPresentOrElse(
                v -> System.setProperty(name, v), () -> System.clearProperty(name)));
  }
}

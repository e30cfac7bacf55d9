// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.util.List;
import java.util.Map;

/** Credentials for requests that never leave the JVM, but are signed as all are. */
final class StubCredentials {
  static final String KEY = "aws.accessKeyId";

  private static final Map<String, String> PROPERTIES =
      Map.of(KEY, "stub", "aws.secretAccessKey", "stub-secret", "aws.region", "us-east-1");

  private StubCredentials() {}

  static List<String> jvmOptions() {
    return PROPERTIES.entrySet().stream().map(e -> "-D" + e.getKey() + "=" + e.getValue()).toList();
  }

  static void useHere() {
    PROPERTIES.forEach(System::setProperty);
  }
}

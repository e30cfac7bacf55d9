// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.demo;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.RequestKind;

/**
 * One step of the tour after it ended.
 *
 * @param name description of the step
 * @param millis duration in milliseconds
 * @param requests requests to the store by kind, only kinds that occurred
 */
public record Step(String name, long millis, Map<String, Long> requests) {
  static Step of(String name, long nanos, RequestCounts.Snapshot counts) {
    Map<String, Long> requests = new TreeMap<>();
    for (RequestKind kind : RequestKind.values()) {
      if (counts.of(kind) > 0) {
        requests.put(kind.toString(), counts.of(kind));
      }
    }
    return new Step(name, nanos / 1_000_000, requests);
  }

  /**
   * Formats the requests in a line.
   *
   * @return such as {@code 2 GET, 1 PUT_IF}
   */
  public String requestLine() {
    return requests.entrySet().stream()
        .map(e -> e.getValue() + " " + e.getKey())
        .collect(Collectors.joining(", "));
  }
}

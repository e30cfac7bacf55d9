// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jgits3.store.RequestKind;

/**
 * The requests of an operation.
 *
 * @param requests all of them
 */
record Cost(List<Request> requests) {
  /**
   * A request that ended.
   *
   * @param kind its verb
   * @param bytes content that moved
   * @param start when it began, in nanoseconds of some clock
   * @param end when it ended
   */
  record Request(RequestKind kind, long bytes, long start, long end) {}

  /** Number of requests. */
  int total() {
    return requests.size();
  }

  /** Content that moved. */
  long bytes() {
    return requests.stream().mapToLong(Request::bytes).sum();
  }

  /** Number of requests of each kind. */
  Map<RequestKind, Integer> byKind() {
    Map<RequestKind, Integer> kinds = new EnumMap<>(RequestKind.class);
    requests.forEach(request -> kinds.merge(request.kind(), 1, Integer::sum));
    return kinds;
  }

  /**
   * Most requests of which each began after the one before had ended: how many times the latency of
   * the store the operation takes at least.
   */
  int depth() {
    List<Request> byEnd = requests.stream().sorted(Comparator.comparingLong(Request::end)).toList();
    int depth = 0;
    long free = Long.MIN_VALUE;
    for (Request request : byEnd) {
      if (depth == 0 || request.start() - free >= 0) {
        depth++;
        free = request.end();
      }
    }
    return depth;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.StoreListener;

/**
 * Counts requests by kind.
 *
 * <p>Safe for use by many threads. A {@link #snapshot} taken while requests end counts each of them
 * or not, but never one twice.
 */
public final class RequestCounts implements StoreListener {
  private final Map<RequestKind, LongAdder> requests = new EnumMap<>(RequestKind.class);
  private final Map<RequestKind, LongAdder> bytes = new EnumMap<>(RequestKind.class);

  /** Counts that start at zero. */
  public RequestCounts() {
    for (RequestKind kind : RequestKind.values()) {
      requests.put(kind, new LongAdder());
      bytes.put(kind, new LongAdder());
    }
  }

  @Override
  public void requestEnded(RequestKind kind, RequestOutcome outcome, long moved, long nanos) {
    requests.get(kind).increment();
    bytes.get(kind).add(moved);
  }

  /**
   * Takes a snapshot of the counts.
   *
   * @return the counts so far; an immutable copy
   */
  public Snapshot snapshot() {
    return new Snapshot(sums(requests), sums(bytes));
  }

  private static Map<RequestKind, Long> sums(Map<RequestKind, LongAdder> counters) {
    return counters.entrySet().stream()
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, each -> each.getValue().sum()));
  }

  /**
   * Counts up to one moment, or between two.
   *
   * @param requests requests by kind; every kind is there
   * @param bytes content bytes sent or received by kind; every kind is there
   */
  public record Snapshot(Map<RequestKind, Long> requests, Map<RequestKind, Long> bytes) {
    /**
     * Counts since an earlier snapshot.
     *
     * @param earlier earlier snapshot of the same counts
     * @return the difference
     */
    public Snapshot since(Snapshot earlier) {
      return new Snapshot(difference(requests, earlier.requests), difference(bytes, earlier.bytes));
    }

    private static Map<RequestKind, Long> difference(
        Map<RequestKind, Long> now, Map<RequestKind, Long> earlier) {
      Map<RequestKind, Long> difference = new EnumMap<>(RequestKind.class);
      now.forEach((kind, n) -> difference.put(kind, n - earlier.get(kind)));
      return Map.copyOf(difference);
    }

    /**
     * Requests of one kind.
     *
     * @param kind the kind
     * @return how many
     */
    public long of(RequestKind kind) {
      return requests.get(kind);
    }

    /**
     * Requests of all kinds.
     *
     * @return how many
     */
    public long total() {
      return requests.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Content bytes of all kinds.
     *
     * @return bytes sent or received
     */
    public long totalBytes() {
      return bytes.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Formats the counts in one line.
     *
     * @return such as {@code 3 requests: 1 GET, 2 PUT}
     */
    @Override
    public String toString() {
      StringJoiner kinds = new StringJoiner(", ");
      for (RequestKind kind : RequestKind.values()) {
        if (of(kind) > 0) {
          kinds.add(of(kind) + " " + kind);
        }
      }
      long total = total();
      return total + (total == 1 ? " request" : " requests") + (total == 0 ? "" : ": " + kinds);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import software.amazon.awssdk.core.metrics.CoreMetric;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;
import software.amazon.awssdk.metrics.SdkMetric;

/**
 * Splits the time of calls into that of the client and that of the service, by the SDK's own
 * metrics: sums for each sample. Thread-safe.
 */
final class CallTimes implements MetricPublisher {
  /** Guarded by this. */
  private final List<Sample> samples = new ArrayList<>();

  /** Nanoseconds of the calls of this sample; guarded by this. */
  private Map<Share, Long> sums = new EnumMap<>(Share.class);

  /** Guarded by this. */
  private int calls;

  /** Shares of the time of a call. */
  enum Share {
    /** Making an HTTP request of the arguments. */
    MARSHALLING,
    /** Signing it. */
    SIGNING,
    /** From handing the request to the connection until the last byte of the answer. */
    SERVICE,
    /** Making a result of the answer. */
    UNMARSHALLING,
    /** All of the call, and of the check of its answer, but the service and waiting to repeat. */
    CLIENT
  }

  /**
   * The calls of one sample.
   *
   * @param nanos mean nanoseconds of a call, by share
   */
  record Sample(Map<Share, Double> nanos) {}

  @Override
  public synchronized void publish(MetricCollection call) {
    List<MetricCollection> attempts = call.children();
    long service = 0;
    long backoff = 0;
    for (MetricCollection attempt : attempts) {
      service += nanos(attempt, CoreMetric.SERVICE_CALL_DURATION) + body(attempt);
      backoff += nanos(attempt, CoreMetric.BACKOFF_DELAY_DURATION);
      add(Share.SIGNING, nanos(attempt, CoreMetric.SIGNING_DURATION));
      add(Share.UNMARSHALLING, nanos(attempt, CoreMetric.UNMARSHALLING_DURATION));
    }
    add(Share.MARSHALLING, nanos(call, CoreMetric.MARSHALLING_DURATION));
    add(Share.SERVICE, service);
    add(Share.CLIENT, nanos(call, CoreMetric.API_CALL_DURATION) - service - backoff);
    calls++;
  }

  /** Time between the first and the last byte of an answer, which is not in that of the service. */
  private static long body(MetricCollection attempt) {
    long first = nanos(attempt, CoreMetric.TIME_TO_FIRST_BYTE);
    long last = nanos(attempt, CoreMetric.TIME_TO_LAST_BYTE);
    return first > 0 ? Math.max(0, last - first) : 0;
  }

  private static long nanos(MetricCollection metrics, SdkMetric<Duration> metric) {
    return metrics.metricValues(metric).stream().mapToLong(Duration::toNanos).sum();
  }

  private void add(Share share, long nanos) {
    sums.merge(share, nanos, Long::sum);
  }

  /** Adds time that the client has spent on an answer after the call. */
  synchronized void checked(long nanos) {
    add(Share.CLIENT, nanos);
  }

  /**
   * Begins another sample.
   *
   * @param kept whether the one that ends counts; one of the warm-up does not
   */
  synchronized void endSample(boolean kept) {
    if (kept && calls > 0) {
      Map<Share, Double> means = new EnumMap<>(Share.class);
      sums.forEach((share, sum) -> means.put(share, (double) sum / calls));
      samples.add(new Sample(means));
    }
    sums = new EnumMap<>(Share.class);
    calls = 0;
  }

  /** Adds a line for each sample to a file, which may have those of other JVMs. */
  synchronized void write(Path file) throws IOException {
    Files.write(
        file,
        samples.stream()
            .map(
                sample ->
                    Arrays.stream(Share.values())
                        .map(share -> sample.nanos().getOrDefault(share, 0.0).toString())
                        .collect(Collectors.joining(" ")))
            .toList(),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** Reads the samples of a file. */
  static List<Sample> read(Path file) throws IOException {
    return Files.readAllLines(file).stream().map(CallTimes::sample).toList();
  }

  private static Sample sample(String line) {
    Iterator<String> words = List.of(line.split(" ", -1)).iterator();
    Map<Share, Double> nanos = new EnumMap<>(Share.class);
    for (Share share : Share.values()) {
      nanos.put(share, Double.valueOf(words.next()));
    }
    return new Sample(nanos);
  }

  @Override
  public void close() {
    // holds nothing that is to be closed
  }
}

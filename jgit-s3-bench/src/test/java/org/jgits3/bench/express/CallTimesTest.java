// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.jgits3.bench.express.CallTimes.Share;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.metrics.CoreMetric;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricCollector;

class CallTimesTest {
  @TempDir private Path directory;

  private static Duration nanos(long nanos) {
    return Duration.ofNanos(nanos);
  }

  /** A call of two attempts that waited 1,000 ns between them. */
  private static MetricCollection call(long all) {
    MetricCollector call = MetricCollector.create("ApiCall");
    call.reportMetric(CoreMetric.API_CALL_DURATION, nanos(all));
    call.reportMetric(CoreMetric.MARSHALLING_DURATION, nanos(30));
    for (int i = 0; i < 2; i++) {
      MetricCollector attempt = call.createChild("ApiCallAttempt");
      attempt.reportMetric(CoreMetric.BACKOFF_DELAY_DURATION, nanos(i * 1000L));
      attempt.reportMetric(CoreMetric.SIGNING_DURATION, nanos(20));
      attempt.reportMetric(CoreMetric.SERVICE_CALL_DURATION, nanos(400));
      attempt.reportMetric(CoreMetric.TIME_TO_FIRST_BYTE, nanos(390));
      attempt.reportMetric(CoreMetric.TIME_TO_LAST_BYTE, nanos(490));
      attempt.reportMetric(CoreMetric.UNMARSHALLING_DURATION, nanos(5));
    }
    return call.collect();
  }

  @Test
  void what_is_neither_service_nor_waiting_is_the_client() throws Exception {
    CallTimes times = new CallTimes();
    times.publish(call(2300));
    times.publish(call(2500));
    times.endSample(true);
    Path file = directory.resolve("times");
    times.write(file);

    assertThat(CallTimes.read(file))
        .singleElement()
        .satisfies(
            sample -> {
              assertThat(sample.nanos()).containsEntry(Share.SERVICE, 1000.0);
              assertThat(sample.nanos()).containsEntry(Share.CLIENT, 400.0);
              assertThat(sample.nanos()).containsEntry(Share.SIGNING, 40.0);
              assertThat(sample.nanos()).containsEntry(Share.MARSHALLING, 30.0);
              assertThat(sample.nanos()).containsEntry(Share.UNMARSHALLING, 10.0);
            });
  }

  @Test
  void check_of_an_answer_is_time_of_the_client() throws Exception {
    CallTimes times = new CallTimes();
    times.publish(call(2300));
    times.checked(50);
    times.endSample(true);
    Path file = directory.resolve("times");
    times.write(file);

    assertThat(CallTimes.read(file).get(0).nanos()).containsEntry(Share.CLIENT, 350.0);
  }

  @Test
  void samples_of_the_warm_up_are_left_out_and_those_of_all_jvms_kept() throws Exception {
    Path file = directory.resolve("times");
    for (int jvm = 0; jvm < 2; jvm++) {
      CallTimes times = new CallTimes();
      for (int i = 0; i < 5; i++) {
        times.publish(call(2000 + 10 * jvm + i));
        times.endSample(i >= 3);
      }
      times.write(file);
    }

    assertThat(CallTimes.read(file))
        .extracting(s -> s.nanos().get(Share.CLIENT))
        .containsExactly(3.0, 4.0, 13.0, 14.0);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
    times.endSample();
    Path file = directory.resolve("times");
    times.write(file);

    assertThat(CallTimes.read(file, 10))
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
  void samples_of_the_warm_up_are_left_out() throws Exception {
    CallTimes times = new CallTimes();
    for (int i = 0; i < 5; i++) {
      times.publish(call(2000 + i));
      times.endSample();
    }
    Path file = directory.resolve("times");
    times.write(file);

    List<CallTimes.Sample> last = CallTimes.read(file, 2);
    assertThat(last).extracting(s -> s.nanos().get(Share.CLIENT)).containsExactly(3.0, 4.0);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gerrit.metrics.DisabledMetricMaker;
import com.google.gerrit.server.cancellation.RequestCancelledException;
import com.google.gerrit.server.cancellation.RequestStateContext;
import com.google.gerrit.server.cancellation.RequestStateProvider.Reason;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.junit.jupiter.api.Test;

/** The listener that counts requests. */
class StoreMetricsTest {
  @Test
  void write_of_a_client_that_is_gone_is_counted_and_does_not_fail() {
    StoreMetrics metrics = new StoreMetrics(new DisabledMetricMaker(), failed -> {});
    try (RequestStateContext request = RequestStateContext.open()) {
      request.addRequestStateProvider(
          cancel -> cancel.onCancel(Reason.CLIENT_CLOSED_REQUEST, "closed"));

      assertThatThrownBy(RequestStateContext::abortIfCancelled)
          .isInstanceOf(RequestCancelledException.class);
      assertThatCode(
              () -> metrics.requestEnded(RequestKind.PUT_IF, RequestOutcome.OK, 100, 1_000_000))
          .doesNotThrowAnyException();
    }
  }
}

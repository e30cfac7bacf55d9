// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jgits3.store.RequestKind;
import org.junit.jupiter.api.Test;

class CostTest {
  private static Cost.Request request(RequestKind kind, long bytes, long start, long end) {
    return new Cost.Request(kind, bytes, start, end);
  }

  @Test
  void nothing_costs_nothing() {
    Cost nothing = new Cost(List.of());
    assertThat(nothing.total()).isZero();
    assertThat(nothing.depth()).isZero();
    assertThat(nothing.byKind()).isEmpty();
  }

  @Test
  void requests_are_counted_by_kind_and_their_bytes_added() {
    Cost cost =
        new Cost(
            List.of(
                request(RequestKind.GET, 10, 0, 1),
                request(RequestKind.READ, 20, 1, 2),
                request(RequestKind.READ, 30, 2, 3)));
    assertThat(cost.total()).isEqualTo(3);
    assertThat(cost.bytes()).isEqualTo(60);
    assertThat(cost.byKind()).isEqualTo(Map.of(RequestKind.GET, 1, RequestKind.READ, 2));
  }

  @Test
  void requests_in_flight_together_are_one_step() {
    Cost cost =
        new Cost(
            List.of(
                request(RequestKind.GET, 0, 0, 10),
                request(RequestKind.READ, 0, 11, 30),
                request(RequestKind.READ, 0, 12, 20),
                request(RequestKind.READ, 0, 13, 25),
                request(RequestKind.PUT, 0, 31, 40)));
    assertThat(cost.depth()).isEqualTo(3);
  }

  @Test
  void the_order_in_which_requests_ended_does_not_matter() {
    Cost cost =
        new Cost(
            List.of(
                request(RequestKind.READ, 0, 20, 30),
                request(RequestKind.READ, 0, 0, 10),
                request(RequestKind.READ, 0, 5, 25)));
    assertThat(cost.depth()).isEqualTo(2);
  }
}

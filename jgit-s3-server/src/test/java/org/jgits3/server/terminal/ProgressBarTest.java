// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
  private final StringWriter terminal = new StringWriter();

  private ProgressBar bar(boolean shown) {
    return new ProgressBar(new PrintWriter(terminal), shown);
  }

  @Test
  void bar_tells_what_is_done_at_what_rate_and_what_is_left() {
    try (ProgressBar bar = bar(true)) {
      bar.beginTask("Writing objects", 200);
      bar.traffic().requestEnded(RequestKind.PUT, RequestOutcome.OK, 8 << 20, 0);
      bar.onUpdate("Writing objects", 50, 200, 25, Duration.ofSeconds(4));
    }
    assertThat(terminal.toString())
        .isEqualTo(
            "\rWriting objects: [#####...............]  25% (50/200), 13/s, 8.0 MiB, 2.0 MiB/s,"
                + " 00:12 left"
                + System.lineSeparator());
  }

  @Test
  void shorter_line_hides_all_of_a_longer_one() {
    try (ProgressBar bar = bar(true)) {
      bar.onUpdate("Counting objects", 12345, Duration.ZERO);
      bar.onUpdate("Counting", 1, Duration.ZERO);
    }
    assertThat(terminal.toString())
        .isEqualTo("\rCounting objects: 12345\rCounting: 1            " + System.lineSeparator());
  }

  @Test
  void steps_are_drawn_one_in_place_of_the_other() {
    try (ProgressBar bar = bar(true)) {
      bar.draw("create-race");
      bar.draw("range");
    }
    assertThat(terminal.toString())
        .isEqualTo("\rcreate-race\rrange      " + System.lineSeparator());
  }

  @Test
  void nothing_is_drawn_without_a_terminal() {
    try (ProgressBar bar = bar(false)) {
      bar.draw("create-race");
      bar.beginTask("Writing objects", 200);
      bar.onUpdate("Writing objects", 50, 200, 25, Duration.ofSeconds(4));
      bar.onEndTask("Writing objects", 200, 200, 100, Duration.ofSeconds(9));
    }
    assertThat(terminal.toString()).isEmpty();
  }

  @Test
  void quantities_are_in_units_that_people_read() {
    assertThat(Quantity.of(1, "ref")).isEqualTo("1 ref");
    assertThat(Quantity.of(0, "ref")).isEqualTo("0 refs");
    assertThat(Quantity.ofBytes(1)).isEqualTo("1 byte");
    assertThat(Quantity.ofBytes(1536)).isEqualTo("1.5 KiB");
    assertThat(Quantity.ofBytes(5L << 40)).isEqualTo("5.0 TiB");
    assertThat(Quantity.of(Duration.ofSeconds(3_723))).isEqualTo("1:02:03");
    assertThat(Quantity.of(Duration.ofSeconds(63))).isEqualTo("01:03");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jgits3.manifest.RepositoryName;
import org.junit.jupiter.api.Test;

class MaintenancePausesTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final long MINUTE = Duration.ofMinutes(1).toMillis();
  private static final long DAY = Duration.ofDays(1).toMillis();

  private final MaintenancePauses pauses = new MaintenancePauses();

  private static RepositoryName name(int number) {
    return RepositoryName.of("r" + number);
  }

  @Test
  void each_failure_doubles_the_pause_up_to_34_hours() {
    long now = 0;
    for (long minutes = 2; minutes <= 1 << 11; minutes *= 2) {
      pauses.failed(NAME, now);
      now += minutes * MINUTE;
      assertThat(pauses.isPaused(NAME, now - 1)).as("%d minutes", minutes).isTrue();
      assertThat(pauses.isPaused(NAME, now)).as("%d minutes", minutes).isFalse();
    }
    pauses.failed(NAME, now);
    assertThat(pauses.isPaused(NAME, now + (MINUTE << 11))).isFalse();
  }

  @Test
  void a_pause_for_another_reason_does_not_end_a_row_of_failures_and_a_success_does() {
    pauses.failed(NAME, 0);
    pauses.pause(NAME, 0, Duration.ofMillis(1));
    pauses.failed(NAME, 1);
    assertThat(pauses.isPaused(NAME, 4 * MINUTE)).isTrue();
    pauses.clear(NAME);
    assertThat(pauses.isPaused(NAME, 0)).isFalse();
    pauses.failed(NAME, 0);
    assertThat(pauses.isPaused(NAME, 2 * MINUTE)).isFalse();
  }

  @Test
  void what_says_nothing_any_more_is_forgotten() {
    for (int i = 0; i < 100_000; i++) {
      pauses.pause(name(i), i * MINUTE, Duration.ofMinutes(2));
    }
    assertThat(pauses.size()).isLessThanOrEqualTo(1001);
  }

  @Test
  void failures_are_remembered_longer_than_a_pause_and_not_for_ever() {
    pauses.failed(NAME, 0);
    long now = DAY;
    for (int i = 0; i < 2000; i++) {
      pauses.pause(name(i), now, Duration.ofMillis(1));
      now++;
    }
    pauses.failed(NAME, now);
    assertThat(pauses.isPaused(NAME, now + 3 * MINUTE)).as("the second in a row").isTrue();
    now += 3 * DAY;
    for (int i = 0; i < 2000; i++) {
      pauses.pause(name(i), now, Duration.ofMillis(1));
      now++;
    }
    pauses.failed(NAME, now);
    assertThat(pauses.isPaused(NAME, now + 3 * MINUTE)).as("the first since long").isFalse();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jgits3.manifest.RepositoryName;
import org.junit.jupiter.api.Test;

class MaintenancePausesTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final long MINUTE = Duration.ofMinutes(1).toMillis();

  private final MaintenancePauses pauses = new MaintenancePauses(Duration.ofMinutes(2), 10);

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
  void a_row_of_failures_ends_with_a_success_and_not_with_another_pause() {
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
  void the_pauses_set_last_are_kept() {
    pauses.failed(NAME, 0);
    for (int i = 0; i < 9_999; i++) {
      pauses.pause(RepositoryName.of("r" + i), 0, Duration.ofMinutes(2));
    }
    assertThat(pauses.isPaused(NAME, 0)).isTrue();
    pauses.failed(NAME, 0);
    pauses.pause(RepositoryName.of("another"), 0, Duration.ofMinutes(2));
    assertThat(pauses.isPaused(NAME, 3 * MINUTE)).isTrue();
    assertThat(pauses.isPaused(RepositoryName.of("r0"), 0)).isFalse();
  }
}

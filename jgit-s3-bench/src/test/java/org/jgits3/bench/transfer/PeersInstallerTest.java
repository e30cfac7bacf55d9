// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeersInstallerTest {
  @Test
  void an_installer_that_hangs_is_ended_and_told_of() throws Exception {
    assertThat(PeersInstaller.run(List.of("sleep", "1000"), Duration.ofSeconds(1)))
        .hasValueSatisfying(why -> assertThat(why).contains("did not end within 1 s"));
  }

  @Test
  void one_that_cannot_install_all_has_said_so_itself() throws Exception {
    assertThat(PeersInstaller.run(List.of("false"), Duration.ofMinutes(1))).isEmpty();
  }
}

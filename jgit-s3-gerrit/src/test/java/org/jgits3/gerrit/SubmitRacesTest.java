// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.server.ExceptionHook;
import com.google.gerrit.server.restapi.change.Submit;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

/** Submits that Gerrit repeats because another request was faster. */
class SubmitRacesTest {
  private static final String FORMAT = "unexpectedly had status %s after submit attempt";

  private final ExceptionHook hook = new SubmitRaces();

  private boolean repeats(Throwable failure) {
    return hook.shouldRetry("REST_WRITE_REQUEST", "submit", failure);
  }

  @Test
  void a_submit_that_has_changed_nothing_is_repeated() {
    String unchanged = "change 56 of project tools/p " + FORMAT.formatted("NEW");
    assertThat(repeats(new IllegalStateException(unchanged))).isTrue();
  }

  @Test
  void nothing_else_is_repeated() {
    assertThat(repeats(new IllegalStateException("change 56 missing from the set"))).isFalse();
    assertThat(repeats(new IllegalStateException(FORMAT.formatted("ABANDONED")))).isFalse();
    assertThat(repeats(new IllegalStateException((String) null))).isFalse();
    assertThat(repeats(new IOException(FORMAT.formatted("NEW")))).isFalse();
  }

  @Test
  void this_gerrit_says_so() throws IOException {
    try (InputStream code = Submit.class.getResourceAsStream("Submit.class")) {
      assertThat(new String(code.readAllBytes(), UTF_8)).contains(FORMAT);
    }
  }
}

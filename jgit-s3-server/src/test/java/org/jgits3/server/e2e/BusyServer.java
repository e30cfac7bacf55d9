// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.jgits3.testing.GitResult;

/** Clients of a server that refuses requests while it has no memory for them. */
final class BusyServer {
  private static final int ATTEMPTS = 10;

  private BusyServer() {}

  /** Runs a Git command, and again while the server says that it is busy. */
  static GitResult retry(Supplier<GitResult> command) {
    GitResult result = command.get();
    for (int i = 1; i < ATTEMPTS && !result.ok(); i++) {
      assertThat(result.stderr())
          .containsAnyOf("the server is busy: ", "The requested URL returned error: 503");
      result = command.get();
    }
    return result;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.server.http.TestRequests;
import org.jgits3.server.http.users.TestUsers;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that no output of a run has a secret in it, whatever fails. */
class SecretsIT {
  private static final String PASSWORD = "correct-horse-battery";
  private static final String WRONG_PASSWORD = "wrong-horse-battery";
  private static final String WRONG_KEY = "wrongSecretKeyOfNobody0123456789";

  @TempDir Path scratch;
  private final StringBuilder output = new StringBuilder();

  private int get(URI server, String path, String password) throws Exception {
    String user = TestRequests.basic("ada:" + password);
    HttpResponse<String> answer = TestRequests.get(server.resolve(path), "Authorization", user);
    output.append(answer.headers().map()).append(answer.body());
    return answer.statusCode();
  }

  private Command run(ServedStore store, String... args) {
    Command command = Command.run(store, args);
    output.append(command.stdout()).append(command.stderr());
    return command;
  }

  @Test
  void no_secret_is_in_a_log_an_answer_a_metric_or_an_error() throws Exception {
    String line = TestUsers.line("ada", PASSWORD);
    String hash = line.strip().substring("ada:".length());
    Path users = Files.writeString(scratch.resolve("users"), line);
    ServedStore store = ServedStore.bucket(S3Servers.require(), scratch);
    String key = store.environment().get("AWS_SECRET_ACCESS_KEY");
    run(store, "init", "r");
    try (ServerProcess server =
        ServerProcess.start(store, "--debug", "--users", users.toString())) {
      String refs = "/r.git/info/refs?service=git-receive-pack";
      assertThat(get(server.uri(), refs, PASSWORD)).isEqualTo(200);
      assertThat(get(server.uri(), refs, WRONG_PASSWORD)).isEqualTo(401);
      assertThat(get(server.uri(), "/none.git/info/refs", PASSWORD)).isEqualTo(404);
      assertThat(get(server.uri(), "/metrics", PASSWORD)).isEqualTo(200);
      output.append(server.log());
    }
    for (String command : List.of("list", "doctor", "--help")) {
      run(store, "--debug", command).succeeds();
    }
    run(store, "--debug", "stats", "r");
    run(store.with("AWS_SECRET_ACCESS_KEY", WRONG_KEY), "--debug", "list");
    run(store, "--debug", "import", "http://ada:" + PASSWORD + "@127.0.0.1:1/r.git", "imported");
    assertThat(output)
        .contains("jvm_memory", "listening on")
        .contains("If-Match of a PUT: the ETag in quotes; checksum: x-amz-checksum-crc32c")
        .doesNotContain(PASSWORD)
        .doesNotContain(WRONG_PASSWORD)
        .doesNotContain(TestRequests.basic("ada:" + PASSWORD))
        .doesNotContain(hash)
        .doesNotContain(WRONG_KEY)
        .doesNotContain(key);
  }
}

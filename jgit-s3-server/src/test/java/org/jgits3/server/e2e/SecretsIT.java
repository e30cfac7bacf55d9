// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
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
  private final HttpClient http = HttpClient.newHttpClient();

  private static String basic(String password) {
    return "Basic " + Base64.getEncoder().encodeToString(("ada:" + password).getBytes(UTF_8));
  }

  private int get(URI server, String path, String password) throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(server.resolve(path))
                .header("Authorization", basic(password))
                .build(),
            HttpResponse.BodyHandlers.ofString());
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
    String hash = BCrypt.with(BCrypt.Version.VERSION_2Y).hashToString(4, PASSWORD.toCharArray());
    Path users = Files.writeString(scratch.resolve("users"), "ada:" + hash + "\n");
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
        .doesNotContain(basic(PASSWORD))
        .doesNotContain(hash)
        .doesNotContain(WRONG_KEY)
        .doesNotContain(key);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitHistory;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.signed.AwsHome;
import org.jgits3.testing.signed.IdentityStub;
import org.jgits3.testing.signed.SessionProxy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as it is packaged finds its credentials in all sources of the AWS default chain. */
class CredentialsIT {
  /** Requests after which keys have expired that are to be renewed amid a push. */
  private static final int MOST_REQUESTS = 40;

  @TempDir Path scratch;

  private final S3Server server = S3Servers.require();
  private AwsHome home;
  private ServedStore store;
  @AutoClose private IdentityStub identities = new IdentityStub(Duration.ofHours(1));
  @AutoClose private SessionProxy proxy;

  @BeforeEach
  void make_a_bucket() throws IOException {
    home = new AwsHome(scratch);
    store = ServedStore.bucket(server, scratch);
  }

  /** The store behind a proxy that takes only the keys which the services give out. */
  private ServedStore with(Map<String, String> variables) throws IOException {
    return with(variables, Integer.MAX_VALUE);
  }

  private ServedStore with(Map<String, String> variables, int mostRequests) throws IOException {
    proxy = new SessionProxy(server, identities, mostRequests);
    Map<String, String> environment = new HashMap<>(identities.environment());
    environment.putAll(variables);
    ServedStore through =
        store.through(proxy.endpoint(), Files.createDirectory(scratch.resolve("proxy")));
    return new ServedStore(through.url(), through.config(), environment);
  }

  private void assertWorks(ServedStore as) {
    Command.run(as, "init", "r").succeeds();
    assertThat(Command.run(store, "list").succeeds().stdout()).isEqualTo("r\n");
  }

  @Test
  void web_identity_is_a_source_of_credentials() throws IOException {
    assertWorks(with(home.webIdentity()));
    assertThat(identities.requests())
        .first() // more than one if the first took too long
        .asString()
        .contains("Action=AssumeRoleWithWebIdentity", AwsHome.ROLE, "a token of the cluster");
  }

  @Test
  void profile_with_a_role_is_a_source_of_credentials() throws IOException {
    assertWorks(with(home.role()));
    assertThat(identities.requests())
        .first() // more than one if the first took too long
        .asString()
        .contains("Action=AssumeRole", AwsHome.ROLE);
  }

  @Test
  void sign_on_that_has_expired_is_renewed() throws Exception {
    assertWorks(with(home.signOn(AwsHome.PAST)));
    assertThat(identities.requests())
        .anyMatch(request -> request.startsWith("/federation/credentials"));
    assertThat(identities.requests().get(0)).contains("refresh_token", "again");
  }

  @Test
  void profile_of_a_single_sign_on_is_a_source_of_credentials() throws Exception {
    assertWorks(with(home.signOn("2999-01-01T00:00:00Z")));
    assertThat(identities.requests())
        .first() // more than one if the first took too long
        .asString()
        .startsWith("/federation/credentials")
        .contains("role_name=git");
  }

  @Test
  void login_that_has_expired_is_renewed() throws Exception {
    assertWorks(with(home.login()));
    assertThat(identities.requests()).isNotEmpty().allMatch(r -> r.contains("refresh_token"));
    assertThat(identities.requests().get(0)).contains("\"again\"");
  }

  @Test
  void role_of_a_container_is_a_source_of_credentials() throws IOException {
    assertWorks(with(home.container(identities)));
    assertThat(identities.requests()).isNotEmpty().allMatch("/container"::equals);
  }

  @Test
  void role_of_an_instance_is_a_source_of_credentials() throws IOException {
    assertWorks(with(home.instance(identities)));
    assertThat(identities.requests())
        .contains("/latest/api/token", "/latest/meta-data/iam/security-credentials/git")
        .allMatch(request -> request.startsWith("/latest/"));
  }

  @Test
  void source_that_fails_is_named() throws IOException {
    Map<String, String> missing =
        Map.of("AWS_ROLE_ARN", AwsHome.ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE", scratch + "/no-token");
    Command refused = Command.run(with(missing), "list");
    refused.failsInOneLine(1);
    assertThat(refused.stderr()).contains("no credentials found", "WebIdentity", "/no-token");
  }

  @Test
  void service_that_refuses_credentials_is_named() throws IOException {
    identities.refuse();
    Command refused = Command.run(with(home.webIdentity()), "list");
    refused.failsInOneLine(1);
    assertThat(refused.stderr()).contains("no credentials found", "WebIdentity", "not for you");
  }

  @Test
  void credentials_that_expire_amid_a_push_are_renewed() throws Exception {
    identities.close();
    identities = new IdentityStub(Duration.ofSeconds(30)); // the SDK renews them a minute before
    ServedStore expiring = with(home.webIdentity(), MOST_REQUESTS);
    GitClient source =
        new GitHistory(1, 20, 3, 3, List.of(40_000_000))
            .importInto(GitClient.in(scratch), "source");
    try (ServerProcess served = ServerProcess.start(expiring, "--create-on-push")) {
      int before = identities.requests().size();
      source.run("push", "-q", served.url("r"), "--all");
      assertThat(identities.requests().size() - before).isGreaterThan(5);
    }
    assertThat(Command.run(store, "verify", "r").succeeds().stdout()).contains("r");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECPoint;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitHistory;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.signed.IdentityStub;
import org.jgits3.testing.signed.SessionProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as it is packaged finds its credentials in all sources of the AWS default chain. */
class CredentialsIT {
  private static final String ROLE = "arn:aws:iam::000000000000:role/git";

  private static final int MOST_REQUESTS = 40;

  private static final String SIGN_ON =
      """
      [profile git]
      sso_session = company
      sso_account_id = 000000000000
      sso_role_name = git
      [sso-session company]
      sso_start_url = https://company.example/start
      sso_region = us-east-1
      """;

  @TempDir Path scratch;

  private final S3Server server = S3Servers.require();
  private ServedStore store;
  private IdentityStub identities = new IdentityStub(Duration.ofHours(1));
  private SessionProxy proxy;

  @BeforeEach
  void make_a_bucket() throws IOException {
    store = ServedStore.bucket(server, scratch);
  }

  @AfterEach
  void stop() {
    proxy.close();
    identities.close();
  }

  /** The store behind a proxy that takes only the keys which the services give out. */
  private ServedStore with(Map<String, String> variables) throws IOException {
    proxy = new SessionProxy(server, identities, MOST_REQUESTS);
    Map<String, String> environment = new HashMap<>(identities.environment());
    environment.put("HOME", scratch.toString());
    environment.putAll(variables);
    ServedStore through =
        store.through(proxy.endpoint(), Files.createDirectory(scratch.resolve("proxy")));
    return new ServedStore(through.url(), through.config(), environment);
  }

  private Map<String, String> profile(String text) throws IOException {
    Path config = Files.writeString(scratch.resolve("aws-config"), text);
    return Map.of("AWS_CONFIG_FILE", config.toString(), "AWS_PROFILE", "git");
  }

  private Map<String, String> webIdentity() throws IOException {
    Path token = Files.writeString(scratch.resolve("token"), "a token of the cluster");
    return Map.of("AWS_ROLE_ARN", ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE", token.toString());
  }

  /**
   * Leaves what {@code aws sso login} leaves: a token of the session, in a file named by its hash.
   */
  private void signIn(String session, String until) throws Exception {
    byte[] hash = MessageDigest.getInstance("SHA-1").digest(session.getBytes(UTF_8));
    Path cache = Files.createDirectories(scratch.resolve(".aws/sso/cache"));
    Files.writeString(
        cache.resolve(HexFormat.of().formatHex(hash) + ".json"),
        """
        {"startUrl": "https://company.example/start", "region": "us-east-1",
        "accessToken": "signed-in", "expiresAt": "%s", "clientId": "id", "clientSecret": "secret",
        "registrationExpiresAt": "2999-01-01T00:00:00Z", "refreshToken": "again"}
        """
            .formatted(until));
  }

  /** Leaves what {@code aws login} leaves: keys that have expired, and what renews them. */
  private Path login(String session) throws Exception {
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(session.getBytes(UTF_8));
    Path cache = Files.createDirectories(scratch.resolve(".aws/login/cache"));
    return Files.writeString(
        cache.resolve(HexFormat.of().formatHex(hash) + ".json"),
        """
        {"accessToken": {"accessKeyId": "old", "secretAccessKey": "old", "sessionToken": "old",
        "accountId": "000000000000", "expiresAt": "2020-01-01T00:00:00Z"},
        "tokenType": "aws_sigv4", "refreshToken": "again", "clientId": "id", "dpopKey": "%s"}
        """
            .formatted(privateKey().replace("\n", "\\n")));
  }

  /** A new key of the curve P-256, as RFC 5915 has it. */
  private static String privateKey() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair pair = generator.generateKeyPair();
    ECPoint point = ((ECPublicKey) pair.getPublic()).getW();
    String der =
        "30770201010420%064xa00a06082a8648ce3d030107a14403420004%064x%064x"
            .formatted(
                ((ECPrivateKey) pair.getPrivate()).getS(), point.getAffineX(), point.getAffineY());
    return "-----BEGIN EC PRIVATE KEY-----\n"
        + Base64.getEncoder().encodeToString(HexFormat.of().parseHex(der))
        + "\n-----END EC PRIVATE KEY-----\n";
  }

  private void assertWorks(ServedStore as) {
    Command.run(as, "init", "r").succeeds();
    assertThat(Command.run(store, "list").succeeds().stdout()).isEqualTo("r\n");
  }

  @Test
  void web_identity_is_a_source_of_credentials() throws IOException {
    assertWorks(with(webIdentity()));
    assertThat(identities.requests())
        .first() // more than one if the first took too long
        .asString()
        .contains("Action=AssumeRoleWithWebIdentity", ROLE, "a token of the cluster");
  }

  @Test
  void profile_with_a_role_is_a_source_of_credentials() throws IOException {
    String text =
        """
        [profile git]
        role_arn = %s
        source_profile = user
        [profile user]
        aws_access_key_id = any
        aws_secret_access_key = any
        """
            .formatted(ROLE);
    assertWorks(with(profile(text)));
    assertThat(identities.requests())
        .first() // more than one if the first took too long
        .asString()
        .contains("Action=AssumeRole", ROLE);
  }

  @Test
  void sign_on_that_has_expired_is_renewed() throws Exception {
    signIn("company", "2020-01-01T00:00:00Z");
    assertWorks(with(profile(SIGN_ON)));
    assertThat(identities.requests())
        .anyMatch(request -> request.startsWith("/federation/credentials"));
    assertThat(identities.requests().get(0)).contains("refresh_token", "again");
  }

  @Test
  void profile_of_a_single_sign_on_is_a_source_of_credentials() throws Exception {
    signIn("company", "2999-01-01T00:00:00Z");
    assertWorks(with(profile(SIGN_ON)));
    assertThat(identities.requests())
        .first() // more than one if the first took too long
        .asString()
        .startsWith("/federation/credentials")
        .contains("role_name=git");
  }

  @Test
  void login_that_has_expired_is_renewed() throws Exception {
    Path login = login("arn:aws:iam::000000000000:user/me");
    String text = "[profile git]\nlogin_session = arn:aws:iam::000000000000:user/me\n";
    assertWorks(with(profile(text)));
    assertThat(identities.requests()).isNotEmpty().allMatch(r -> r.contains("refresh_token"));
    assertThat(identities.requests().get(0)).contains("\"again\"");
    assertThat(login).content().contains("once more", "key-").doesNotContain("2020-01-01");
  }

  @Test
  void role_of_a_container_is_a_source_of_credentials() throws IOException {
    Path token = Files.writeString(scratch.resolve("token"), IdentityStub.CONTAINER_TOKEN);
    assertWorks(
        with(
            Map.of(
                "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                identities.endpoint() + "/container",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
                token.toString())));
    assertThat(identities.requests()).isNotEmpty().allMatch("/container"::equals);
  }

  @Test
  void role_of_an_instance_is_a_source_of_credentials() throws IOException {
    assertWorks(
        with(
            Map.of(
                "AWS_EC2_METADATA_DISABLED",
                "false",
                "AWS_EC2_METADATA_SERVICE_ENDPOINT",
                identities.endpoint().toString())));
    assertThat(identities.requests())
        .contains("/latest/api/token", "/latest/meta-data/iam/security-credentials/git")
        .allMatch(request -> request.startsWith("/latest/"));
  }

  @Test
  void source_that_fails_is_named() throws IOException {
    Map<String, String> missing =
        Map.of("AWS_ROLE_ARN", ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE", scratch + "/no-token");
    Command refused = Command.run(with(missing), "list");
    refused.failsInOneLine(1);
    assertThat(refused.stderr()).contains("no credentials found", "WebIdentity", "/no-token");
  }

  @Test
  void service_that_refuses_credentials_is_named() throws IOException {
    identities.refuse();
    Command refused = Command.run(with(webIdentity()), "list");
    refused.failsInOneLine(1);
    assertThat(refused.stderr()).contains("no credentials found", "WebIdentity", "not for you");
  }

  @Test
  void credentials_that_expire_amid_a_push_are_renewed() throws Exception {
    identities.close();
    identities = new IdentityStub(Duration.ofSeconds(30)); // the SDK renews them a minute before
    ServedStore expiring = with(webIdentity());
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

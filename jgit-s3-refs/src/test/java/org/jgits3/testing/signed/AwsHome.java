// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.signed;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECPoint;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * Home directory whose files lead the AWS SDK to credentials of an {@link IdentityStub}. Each
 * source is the environment of a process.
 *
 * @param directory the directory
 */
public record AwsHome(Path directory) {
  /** Role that gets the credentials. */
  public static final String ROLE = "arn:aws:iam::000000000000:role/git";

  /** Time at which everything has expired. */
  public static final String PAST = "2020-01-01T00:00:00Z";

  private static final String USER = "arn:aws:iam::000000000000:user/me";

  private Map<String, String> source(Map<String, String> variables) {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("HOME", directory.toString());
    return environment;
  }

  private Map<String, String> profile(String text) throws IOException {
    Path config = Files.writeString(directory.resolve("aws-config"), text);
    return source(Map.of("AWS_CONFIG_FILE", config.toString(), "AWS_PROFILE", "git"));
  }

  private Path cache(String place, String algorithm, String session, String json)
      throws IOException, GeneralSecurityException {
    byte[] hash = MessageDigest.getInstance(algorithm).digest(session.getBytes(UTF_8));
    Path cache = Files.createDirectories(directory.resolve(place));
    return Files.writeString(cache.resolve(HexFormat.of().formatHex(hash) + ".json"), json);
  }

  /** Token of a cluster, for a role. */
  public Map<String, String> webIdentity() throws IOException {
    Path token = Files.writeString(directory.resolve("token"), "a token of the cluster");
    return source(Map.of("AWS_ROLE_ARN", ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE", token.toString()));
  }

  /** Profile with a role that a user with keys assumes. */
  public Map<String, String> role() throws IOException {
    return profile(
        """
        [profile git]
        role_arn = %s
        source_profile = user
        [profile user]
        aws_access_key_id = any
        aws_secret_access_key = any
        """
            .formatted(ROLE));
  }

  /**
   * Profile with a single sign-on, after {@code aws sso login}.
   *
   * @param until expiration of its token, which can be renewed
   */
  public Map<String, String> signOn(String until) throws IOException, GeneralSecurityException {
    String json =
        """
        {"startUrl": "https://company.example/start", "region": "us-east-1",
        "accessToken": "signed-in", "expiresAt": "%s", "clientId": "id", "clientSecret": "secret",
        "registrationExpiresAt": "2999-01-01T00:00:00Z", "refreshToken": "again"}
        """
            .formatted(until);
    cache(".aws/sso/cache", "SHA-1", "company", json);
    return profile(
        """
        [profile git]
        sso_session = company
        sso_account_id = 000000000000
        sso_role_name = git
        [sso-session company]
        sso_start_url = https://company.example/start
        sso_region = us-east-1
        """);
  }

  /** Profile with a login, as long after {@code aws login} as its keys have expired. */
  public Map<String, String> login() throws IOException, GeneralSecurityException {
    String json =
        """
        {"accessToken": {"accessKeyId": "old", "secretAccessKey": "old", "sessionToken": "old",
        "accountId": "000000000000", "expiresAt": "%s"}, "tokenType": "aws_sigv4",
        "refreshToken": "again", "clientId": "id", "dpopKey": "%s"}
        """
            .formatted(PAST, privateKey().replace("\n", "\\n"));
    cache(".aws/login/cache", "SHA-256", USER, json);
    return profile("[profile git]\nlogin_session = " + USER + "\n");
  }

  /** A new key of the curve P-256, as RFC 5915 has it. */
  private static String privateKey() throws GeneralSecurityException {
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

  /** Container with a role, which sends a token for its keys. */
  public Map<String, String> container(IdentityStub identities) throws IOException {
    Path token = Files.writeString(directory.resolve("token"), IdentityStub.CONTAINER_TOKEN);
    return source(
        Map.of(
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            identities.endpoint() + "/container",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
            token.toString()));
  }

  /** Instance with a role. */
  public Map<String, String> instance(IdentityStub identities) {
    return source(
        Map.of(
            "AWS_EC2_METADATA_DISABLED",
            "false",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT",
            identities.endpoint().toString()));
  }
}

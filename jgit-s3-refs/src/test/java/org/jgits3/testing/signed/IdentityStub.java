// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.signed;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.testing.S3Server;

/**
 * What the AWS SDK asks for credentials, on 127.0.0.1: the services STS, SSO, SSO OIDC and Sign-In,
 * and the metadata of containers and instances, as far as the default chain of credentials uses
 * them. It gives out other keys each time; {@link SessionProxy} takes them.
 */
public final class IdentityStub implements AutoCloseable {
  /** Token that a container has to send for its keys. */
  static final String CONTAINER_TOKEN = "a token of the container";

  private static final String INSTANCE_TOKEN = "a token of the instance";
  private static final String INSTANCE_ROLES = "/latest/meta-data/iam/security-credentials/";

  private static final String REFUSAL =
      "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not for you</Message></Error>"
          + "</ErrorResponse>";

  private final Duration lifetime;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger issued = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer listener;
  private volatile boolean refusing;

  /**
   * Starts the services.
   *
   * @param lifetime how long the keys are said to be valid. The SDK renews them a minute before
   */
  public IdentityStub(Duration lifetime) {
    this.lifetime = lifetime;
    try {
      listener = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    listener.setExecutor(threads);
    listener.createContext("/", this::answer);
    listener.start();
  }

  /**
   * Environment that leads the SDK here, without any credentials.
   *
   * @return variables of all services
   */
  public Map<String, String> environment() {
    return Map.of(
        "AWS_REGION", S3Server.REGION,
        "AWS_EC2_METADATA_DISABLED", "true",
        "AWS_ENDPOINT_URL_STS", endpoint().toString(),
        "AWS_ENDPOINT_URL_SSO", endpoint().toString(),
        "AWS_ENDPOINT_URL_SSO_OIDC", endpoint().toString(),
        "AWS_ENDPOINT_URL_SIGNIN", endpoint().toString());
  }

  /**
   * Address of all services.
   *
   * @return their endpoint
   */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + listener.getAddress().getPort());
  }

  /**
   * Requests until now.
   *
   * @return the decoded form of each, or its path and query if it has none
   */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  /** Secret key that goes with a session token; null if there is no such token. */
  String secretKey(String token) {
    return token.matches("token-\\d+") && Integer.parseInt(token.substring(6)) <= issued.get()
        ? token.replace("token", "secret")
        : null;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String form = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      String path = exchange.getRequestURI().getPath();
      requests.add(
          form.isEmpty() ? exchange.getRequestURI().toString() : URLDecoder.decode(form, UTF_8));
      String wanted = wantedToken(exchange);
      boolean refused = refusing || (!wanted.isEmpty() && !wanted.equals(token(exchange)));
      String answer = refused ? REFUSAL : answer(path, form);
      byte[] bytes = answer.getBytes(UTF_8);
      exchange
          .getResponseHeaders()
          .add("Content-Type", answer.startsWith("{") ? "application/json" : "text/xml");
      exchange.sendResponseHeaders(refused ? 403 : 200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private String answer(String path, String form) {
    return switch (path) {
      case "/federation/credentials" -> roleCredentials();
      case "/token" -> "{\"accessToken\":\"renewed\",\"tokenType\":\"Bearer\",\"expiresIn\":3600}";
      case "/v1/token" -> loginCredentials();
      case "/latest/api/token" -> INSTANCE_TOKEN;
      case INSTANCE_ROLES -> "git";
      case "/container", INSTANCE_ROLES + "git" -> metadataCredentials();
      default -> assumedRole(form.replaceAll(".*Action=(\\w+).*", "$1"));
    };
  }

  /** Token without which a request is refused; empty if it needs none. */
  private static String wantedToken(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    if (path.equals("/container")) {
      return CONTAINER_TOKEN;
    }
    return path.startsWith(INSTANCE_ROLES) ? INSTANCE_TOKEN : "";
  }

  private static String token(HttpExchange exchange) {
    String header =
        exchange.getRequestURI().getPath().equals("/container")
            ? "Authorization"
            : "x-aws-ec2-metadata-token";
    return exchange.getRequestHeaders().getFirst(header);
  }

  /** Has every request from now on refused. */
  public void refuse() {
    refusing = true;
  }

  private Instant expiration() {
    return Instant.now().plus(lifetime).truncatedTo(ChronoUnit.SECONDS);
  }

  private String assumedRole(String action) {
    int number = issued.incrementAndGet();
    return """
        <%1$sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <%1$sResult>
            <Credentials>
              <AccessKeyId>key-%2$d</AccessKeyId>
              <SecretAccessKey>secret-%2$d</SecretAccessKey>
              <SessionToken>token-%2$d</SessionToken>
              <Expiration>%3$s</Expiration>
            </Credentials>
            <AssumedRoleUser>
              <Arn>arn:aws:sts::000000000000:assumed-role/git/session</Arn>
              <AssumedRoleId>id:session</AssumedRoleId>
            </AssumedRoleUser>
          </%1$sResult>
        </%1$sResponse>
        """
        .formatted(action, number, expiration());
  }

  private String roleCredentials() {
    return """
        {"roleCredentials": {"accessKeyId": "key-%1$d", "secretAccessKey": "secret-%1$d",
        "sessionToken": "token-%1$d", "expiration": %2$d}}
        """
        .formatted(issued.incrementAndGet(), expiration().toEpochMilli());
  }

  private String metadataCredentials() {
    return """
        {"Code": "Success", "AccessKeyId": "key-%1$d", "SecretAccessKey": "secret-%1$d",
        "Token": "token-%1$d", "Expiration": "%2$s"}
        """
        .formatted(issued.incrementAndGet(), expiration());
  }

  private String loginCredentials() {
    return """
        {"accessToken": {"accessKeyId": "key-%1$d", "secretAccessKey": "secret-%1$d",
        "sessionToken": "token-%1$d"}, "tokenType": "aws_sigv4", "expiresIn": %2$d,
        "refreshToken": "once more"}
        """
        .formatted(issued.incrementAndGet(), lifetime.toSeconds());
  }

  @Override
  public void close() {
    listener.stop(0);
    threads.shutdownNow();
  }
}

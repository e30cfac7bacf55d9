// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.net.URI;
import java.util.Optional;
import org.jgits3.store.ProbedService.Dialect;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Finds an S3 server for the tests, in this order:
 *
 * <ol>
 *   <li>the environment variable {@code JGIT_S3_TEST_ENDPOINT}, with {@code AWS_ACCESS_KEY_ID} and
 *       {@code AWS_SECRET_ACCESS_KEY};
 *   <li>a Docker engine, asked for the image named by the system property {@code s3.image};
 *   <li>{@code versitygw} on the PATH or in {@code target/tools}, where {@code etc/test/versitygw}
 *       installs it.
 * </ol>
 *
 * <p>{@code JGIT_S3_TEST_SERVER=minio} (environment variable or system property) takes {@code
 * minio} from the same places as {@code versitygw} instead of the last two. {@code
 * JGIT_S3_TEST_SERVER=ceph} says that the first is a Ceph, which {@code etc/test/with-s3} starts.
 *
 * <p>There is one server per JVM; it ends with the JVM. Its credentials are put into the system
 * properties that the SDK reads, since stores take them from the AWS default chain only.
 */
public final class S3Servers {
  /** Dialect of Ceph 16.2 and 18.2. */
  private static final Dialect CEPH = new Dialect(Dialect.IfMatch.BARE, Dialect.Checksum.MD5);

  private S3Servers() {}

  /** Looks once per JVM, and says once what it found. */
  private static final class Holder {
    static final Optional<S3Server> SERVER = announce(search());

    private static Optional<S3Server> search() {
      return named()
          .or(() -> wantsMinio() ? NativeS3Server.minio() : Optional.empty())
          .or(() -> wantsMinio() ? Optional.empty() : ContainerS3Server.versitygw())
          .or(() -> wantsMinio() ? Optional.empty() : NativeS3Server.versitygw());
    }

    private static Optional<S3Server> announce(Optional<S3Server> found) {
      System.out.println(found.map(server -> "S3 tests run on " + server).orElseGet(Holder::none));
      found.ifPresent(
          server -> {
            System.setProperty("aws.accessKeyId", server.accessKey());
            System.setProperty("aws.secretAccessKey", server.secretKey());
            System.setProperty("aws.region", S3Server.REGION);
          });
      return found;
    }

    private static String none() {
      return wantsMinio()
          ? "S3 tests are skipped: no minio; run etc/test/minio (needs Go)"
          : "S3 tests are skipped: no S3 server; run etc/test/versitygw (needs Go), or start a"
              + " Docker engine, or set JGIT_S3_TEST_ENDPOINT";
    }
  }

  /**
   * The server, if there is one.
   *
   * @return the server that all tests of this JVM share; not to be closed by them
   */
  public static Optional<S3Server> find() {
    return Holder.SERVER;
  }

  /**
   * The server. Without one the calling test is skipped, or fails if the system property {@code
   * s3.required} is {@code true}. For {@code @BeforeAll} or {@code @BeforeEach}.
   *
   * @return the server that all tests of this JVM share; not to be closed by them
   */
  public static S3Server require() {
    Optional<S3Server> server = find();
    if (server.isEmpty() && Boolean.getBoolean("s3.required")) {
      Assertions.fail(Holder.none());
    }
    Assumptions.assumeTrue(server.isPresent(), Holder::none);
    return server.orElseThrow();
  }

  private static Optional<S3Server> named() {
    String endpoint = System.getenv("JGIT_S3_TEST_ENDPOINT");
    if (endpoint == null || endpoint.isBlank()) {
      return Optional.empty();
    }
    return Optional.of(
        new S3Server(
            "JGIT_S3_TEST_ENDPOINT",
            URI.create(endpoint),
            variable("AWS_ACCESS_KEY_ID"),
            variable("AWS_SECRET_ACCESS_KEY"),
            wants("ceph") ? CEPH : Dialect.S3,
            () -> {},
            Optional.empty()));
  }

  private static String variable(String name) {
    String value = System.getenv(name);
    if (value == null) {
      throw new IllegalStateException("JGIT_S3_TEST_ENDPOINT is set but " + name + " is not");
    }
    return value;
  }

  private static boolean wantsMinio() {
    return wants("minio");
  }

  private static boolean wants(String server) {
    String variable = System.getenv().getOrDefault("JGIT_S3_TEST_SERVER", "");
    return System.getProperty("JGIT_S3_TEST_SERVER", variable).equals(server);
  }
}

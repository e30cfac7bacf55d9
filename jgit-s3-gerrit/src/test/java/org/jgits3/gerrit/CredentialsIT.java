// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jgits3.internal.store.probe.Markers;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.signed.AwsHome;
import org.jgits3.testing.signed.IdentityStub;
import org.jgits3.testing.signed.SessionProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as it goes into a site finds its credentials in the AWS default chain. */
class CredentialsIT {
  private static final Path JAR = Path.of("target", "jgit-s3-gerrit.jar");
  private static final long SECONDS = 120;

  @TempDir Path scratch;

  private final S3Server server = S3Servers.require();

  /** Runs {@link OpensBucket} with the jar and what Gerrit has, and without other classes. */
  private String open(IdentityStub identities, Map<String, String> variables) throws Exception {
    String classes = Path.of("target", "test-classes").toString();
    String gerrit =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(path -> path.contains("gerrit-plugin-api"))
            .collect(Collectors.joining(File.pathSeparator));
    Path output = scratch.resolve("output");
    StoreLocation store = StoreLocation.parse(server.newBucket() + "/git");
    try (SessionProxy proxy = new SessionProxy(server, identities, Integer.MAX_VALUE)) {
      Markers.mark(server, store, proxy.endpoint());
      ProcessBuilder program =
          new ProcessBuilder(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  classes,
                  OpensBucket.class.getName(),
                  store.toString(),
                  proxy.endpoint().toString(),
                  gerrit,
                  JAR + File.pathSeparator + classes));
      program.environment().keySet().removeIf(name -> name.startsWith("AWS_"));
      program.environment().putAll(identities.environment());
      program.environment().putAll(variables);
      Process process = program.redirectErrorStream(true).redirectOutput(output.toFile()).start();
      boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
      process.destroyForcibly();
      assertThat(ended).as(() -> read(output)).isTrue();
    }
    return read(output);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertWorks(Source source, String request) throws Exception {
    try (IdentityStub identities = new IdentityStub(Duration.ofHours(1))) {
      String said = open(identities, source.environment(new AwsHome(scratch), identities));
      assertThat(said).contains("[r]");
      assertThat(identities.requests()).isNotEmpty().allMatch(each -> each.contains(request));
    }
  }

  /** Makes the environment that leads to a source. */
  private interface Source {
    Map<String, String> environment(AwsHome home, IdentityStub identities) throws Exception;
  }

  @Test
  void web_identity_works_in_the_jar() throws Exception {
    assertWorks((home, stub) -> home.webIdentity(), "Action=AssumeRoleWithWebIdentity");
  }

  @Test
  void profile_with_a_role_works_in_the_jar() throws Exception {
    assertWorks((home, stub) -> home.role(), "Action=AssumeRole");
  }

  @Test
  void profile_of_a_login_works_in_the_jar() throws Exception {
    assertWorks((home, stub) -> home.login(), "refresh_token");
  }

  @Test
  void role_of_a_container_works_in_the_jar() throws Exception {
    assertWorks(AwsHome::container, "/container");
  }

  @Test
  void profile_of_a_single_sign_on_works_in_the_jar() throws Exception {
    try (IdentityStub identities = new IdentityStub(Duration.ofHours(1))) {
      Map<String, String> expired = new AwsHome(scratch).signOn(AwsHome.PAST);
      assertThat(open(identities, expired)).contains("[r]");
      assertThat(identities.requests())
          .anyMatch(each -> each.contains("refresh_token"))
          .anyMatch(each -> each.startsWith("/federation/credentials"));
    }
  }
}

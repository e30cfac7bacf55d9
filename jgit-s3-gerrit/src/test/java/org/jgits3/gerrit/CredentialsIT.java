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
import java.util.stream.Stream;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.signed.IdentityStub;
import org.jgits3.testing.signed.SessionProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as it goes into a site finds its credentials in the AWS default chain. */
class CredentialsIT {
  private static final Path JAR = Path.of("target", "jgit-s3-gerrit.jar");
  private static final String ROLE = "arn:aws:iam::000000000000:role/git";
  private static final long SECONDS = 120;

  @TempDir Path scratch;

  private final S3Server server = S3Servers.require();

  /** Runs {@link OpensBucket} with the jar and what Gerrit has, and without other classes. */
  private String open(IdentityStub identities, Map<String, String> variables) throws Exception {
    String classes =
        Stream.concat(
                Stream.of(JAR.toString(), Path.of("target", "test-classes").toString()),
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                    .filter(path -> path.contains("gerrit-plugin-api")))
            .collect(Collectors.joining(File.pathSeparator));
    Path output = scratch.resolve("output");
    try (SessionProxy proxy = new SessionProxy(server, identities, Integer.MAX_VALUE)) {
      ProcessBuilder program =
          new ProcessBuilder(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  classes,
                  OpensBucket.class.getName(),
                  server.newBucket() + "/git",
                  proxy.endpoint().toString()));
      program.environment().keySet().removeIf(name -> name.startsWith("AWS_"));
      program.environment().putAll(identities.environment());
      program.environment().put("HOME", scratch.toString());
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

  @Test
  void web_identity_works_in_the_jar() throws Exception {
    Path token = Files.writeString(scratch.resolve("token"), "a token of the cluster");
    try (IdentityStub identities = new IdentityStub(Duration.ofHours(1))) {
      Map<String, String> variables =
          Map.of("AWS_ROLE_ARN", ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE", token.toString());
      assertThat(open(identities, variables)).contains("[r]");
      assertThat(identities.requests())
          .isNotEmpty()
          .allMatch(request -> request.contains("Action=AssumeRoleWithWebIdentity"));
    }
  }
}

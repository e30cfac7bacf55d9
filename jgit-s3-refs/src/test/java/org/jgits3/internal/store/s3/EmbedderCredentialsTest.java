// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jgits3.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.signed.IdentityStub;
import org.jgits3.testing.signed.SessionProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that embeds the library brings the module of the AWS SDK for web identity. */
class EmbedderCredentialsTest {
  private static final long SECONDS = 60;

  @TempDir Path scratch;

  private final S3Server server = S3Servers.require();

  /** Writes one object, and prints what comes of it. */
  static final class Writing {
    private Writing() {}

    public static void main(String[] args) throws Exception {
      try (ObjectStore store =
          Stores.open(
              StoreLocation.parse(args[0]),
              new StoreOptions(
                  Optional.of(URI.create(args[1])), Optional.of(S3Server.REGION), true, 4))) {
        store.put("k", new byte[1], 0, 1);
        System.out.println("written");
      } catch (IOException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  private String write(Predicate<String> jars) throws Exception {
    Path token = Files.writeString(scratch.resolve("token"), "a token of the cluster");
    String classes =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(jars)
            .collect(Collectors.joining(File.pathSeparator));
    try (IdentityStub identities = new IdentityStub(Duration.ofHours(1));
        SessionProxy proxy = new SessionProxy(server, identities, Integer.MAX_VALUE)) {
      ProcessBuilder program =
          new ProcessBuilder(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  classes,
                  Writing.class.getName(),
                  server.newBucket().toString(),
                  proxy.endpoint().toString()));
      program.environment().keySet().removeIf(name -> name.startsWith("AWS_"));
      program.environment().putAll(identities.environment());
      program.environment().put("HOME", scratch.toString());
      program.environment().put("AWS_ROLE_ARN", "arn:aws:iam::000000000000:role/git");
      program.environment().put("AWS_WEB_IDENTITY_TOKEN_FILE", token.toString());
      Process process = program.redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try {
        byte[] said = process.getInputStream().readAllBytes();
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
        return new String(said, StandardCharsets.UTF_8);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void web_identity_works_with_the_module_sts() throws Exception {
    assertThat(write(path -> true)).contains("written");
  }

  @Test
  void module_that_is_missing_is_named() throws Exception {
    assertThat(write(path -> !path.contains(File.separator + "sts-")))
        .contains("no credentials found; WebIdentity", "the 'sts' service module must be on the");
  }
}

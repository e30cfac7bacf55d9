// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The archive of classes that JVMs under test start from, in two thirds of the time; made as the
 * launcher makes its own, once for each build.
 */
final class ClassArchive {
  private ClassArchive() {}

  /** Options of a JVM that runs this program: none if its classes cannot be archived. */
  static List<String> options(Path program) {
    Path archive = program.resolveSibling("test-classes.jsa");
    Path lock = program.resolveSibling("test-classes.lock");
    try (FileChannel channel =
        FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.lock(); // until it is closed
      if (!isOf(program, archive)) {
        make(program, archive);
      }
      // The JVM would tell on standard output that an archive is of another JDK.
      return Files.size(archive) > 0
          ? List.of("-Xlog:disable", "-XX:SharedArchiveFile=" + archive)
          : List.of();
    } catch (IOException e) {
      return List.of(); // it can be done without
    }
  }

  private static boolean isOf(Path program, Path archive) throws IOException {
    return Files.exists(archive)
        && Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(program)) > 0;
  }

  /** Archives what a command loads that asks S3 where nobody listens; empty if that fails. */
  private static void make(Path program, Path archive) throws IOException {
    Path made = Files.createTempFile(archive.getParent(), "test-classes", ".new");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:ArchiveClassesAtExit=" + made,
                "-jar",
                program.toString(),
                "--config",
                "/dev/null",
                "--store",
                "s3://none/none",
                "list")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder
        .environment()
        .putAll(
            Map.of(
                "AWS_ENDPOINT_URL", "http://127.0.0.1:1",
                "AWS_REGION", "none",
                "AWS_ACCESS_KEY_ID", "none",
                "AWS_SECRET_ACCESS_KEY", "none",
                "AWS_CONFIG_FILE", "/dev/null",
                "AWS_SHARED_CREDENTIALS_FILE", "/dev/null"));
    Process process = builder.start();
    try {
      if (!process.waitFor(2, TimeUnit.MINUTES) || process.exitValue() != 1) {
        process.destroyForcibly().waitFor();
        Files.write(made, new byte[0]);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    Files.move(made, archive, StandardCopyOption.REPLACE_EXISTING);
  }
}

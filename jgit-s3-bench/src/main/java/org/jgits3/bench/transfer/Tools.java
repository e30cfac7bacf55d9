// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jgits3.bench.process.ClassArchive;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

/** The tools that are compared, ready for one server. */
final class Tools {
  static final String OURS = "jgit-s3";
  static final String AWS_CLI = "AWS CLI";
  static final String RCLONE = "rclone";
  static final String MC = "MinIO mc";
  static final List<String> PEERS = List.of(AWS_CLI, RCLONE, MC);

  private static final int AWS_CLI_THREADS = 16;

  private final Path programs;
  private final Path configs;
  private final S3Endpoint endpoint;
  private final String bucket;
  private final Function<String, List<String>> profiler;

  /**
   * Tools for a server.
   *
   * @param programs directory the peers are installed in
   * @param configs directory for their configuration, and for what makes them start fast
   * @param endpoint the server
   * @param profiler options that profile a JVM, by what it does
   */
  Tools(Path programs, Path configs, S3Endpoint endpoint, Function<String, List<String>> profiler) {
    this.profiler = profiler;
    this.programs = programs.toAbsolutePath();
    this.configs = configs.toAbsolutePath();
    this.endpoint = endpoint;
    this.bucket = endpoint.bucket(S3Session.SCRATCH);
  }

  List<Tool> all() throws IOException {
    return List.of(ours(), awsCli(), rclone(), mc());
  }

  private Tool ours() {
    return new Tool(
        OURS,
        Optional.empty(),
        Map.of(),
        (file, key) -> java(Direction.UPLOAD, file, key),
        (file, key) -> java(Direction.DOWNLOAD, file, key));
  }

  private List<String> java(Direction direction, Path file, String key) {
    List<String> options = new ArrayList<>(archive(direction).options());
    options.addAll(profiler.apply("transfer " + direction));
    return jvm(options, direction, file, key).command();
  }

  private JvmProgram jvm(List<String> more, Direction direction, Path file, String key) {
    List<String> options = new ArrayList<>(endpoint.jvmOptions());
    options.addAll(brief(direction));
    options.addAll(more);
    List<String> arguments = List.of(direction.name(), key, file.toString());
    return new JvmProgram(options, LibraryTransfer.class, arguments);
  }

  /**
   * Options for a JVM that is over soon. For downloads they are those that the launcher of the
   * program has for commands that move little. An upload over plain HTTP computes SHA-256, for
   * which only the optimizing compiler uses the processor's instructions: it is left to what is
   * called ten times as often as by default.
   */
  private static List<String> brief(Direction direction) {
    return direction == Direction.UPLOAD
        ? List.of(
            "-XX:Tier4InvocationThreshold=50000",
            "-XX:Tier4MinInvocationThreshold=6000",
            "-XX:Tier4CompileThreshold=150000",
            "-XX:Tier4BackEdgeThreshold=400000")
        : List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  }

  private ClassArchive archive(Direction direction) {
    return new ClassArchive(configs.resolve(direction + ".jsa"));
  }

  /**
   * Archives the classes that processes of a direction load, as the launcher of the program does.
   *
   * @param direction whether they send or receive
   * @param file what is sent; or the one to be written
   * @param key the object
   * @throws IOException if there is no archive, without which everything works, too
   */
  void archiveClasses(Direction direction, Path file, String key)
      throws IOException, InterruptedException {
    JvmProgram training = jvm(List.of(), direction, file, key);
    archive(direction).write(training, configs.resolve("archive.log"));
  }

  private Tool awsCli() throws IOException {
    Path program = programs.resolve("awscli/bin/aws");
    Path config = configs.resolve("aws.config");
    Files.writeString(
        config,
        String.format(
            "[default]%ns3 =%n  max_concurrent_requests = %d%n  addressing_style = path%n",
            AWS_CLI_THREADS));
    Map<String, String> environment =
        Map.of(
            "AWS_CONFIG_FILE", config.toString(),
            "AWS_SHARED_CREDENTIALS_FILE", configs.resolve("none").toString());
    String uri = endpoint.uri().toString();
    List<String> base =
        List.of(program.toString(), "s3", "cp", "--only-show-errors", "--endpoint-url", uri);
    return peer(
        AWS_CLI,
        program,
        environment,
        (file, key) -> with(base, file.toString(), "s3://" + bucket + "/" + key),
        (file, key) -> with(base, "s3://" + bucket + "/" + key, file.toString()));
  }

  private Tool rclone() {
    Path program = programs.resolve("rclone");
    Map<String, String> environment =
        Map.of(
            "RCLONE_CONFIG", "/notfound", // rclone's word for none
            "RCLONE_CONFIG_BENCH_TYPE", "s3",
            "RCLONE_CONFIG_BENCH_PROVIDER", "Other",
            "RCLONE_CONFIG_BENCH_ENV_AUTH", "true",
            "RCLONE_CONFIG_BENCH_ENDPOINT", endpoint.uri().toString(),
            "RCLONE_CONFIG_BENCH_REGION", endpoint.region(),
            "RCLONE_CONFIG_BENCH_FORCE_PATH_STYLE", "true",
            "RCLONE_CONFIG_BENCH_NO_CHECK_BUCKET", "true");
    List<String> base = List.of(program.toString(), "copyto", "--quiet");
    return peer(
        RCLONE,
        program,
        environment,
        (file, key) -> with(base, file.toString(), "bench:" + bucket + "/" + key),
        (file, key) -> with(base, "bench:" + bucket + "/" + key, file.toString()));
  }

  private Tool mc() {
    Path program = programs.resolve("mc");
    List<String> base =
        List.of(
            program.toString(), "--config-dir", configs.resolve("mc").toString(), "--quiet", "cp");
    return peer(
        MC,
        program,
        Map.of("MC_HOST_bench", mcHost(endpoint.uri(), endpoint.credentials())),
        (file, key) -> with(base, file.toString(), "bench/" + bucket + "/" + key),
        (file, key) -> with(base, "bench/" + bucket + "/" + key, file.toString()));
  }

  /** No URL, though it looks like one: {@code mc} takes all of it as it is. */
  static String mcHost(URI uri, AwsCredentials credentials) {
    String token =
        credentials instanceof AwsSessionCredentials session ? ":" + session.sessionToken() : "";
    return String.format(
        "%s://%s:%s%s@%s",
        uri.getScheme(),
        credentials.accessKeyId(),
        credentials.secretAccessKey(),
        token,
        uri.getAuthority());
  }

  private Tool peer(
      String name,
      Path program,
      Map<String, String> environment,
      Tool.Command upload,
      Tool.Command download) {
    Map<String, String> all = new HashMap<>(endpoint.environment());
    all.putAll(environment);
    Optional<String> missing =
        Files.isExecutable(program)
            ? Optional.empty()
            : Optional.of("not installed; see what etc/bench/peers says");
    return new Tool(name, missing, Map.copyOf(all), upload, download);
  }

  private static List<String> with(List<String> base, String... arguments) {
    List<String> command = new ArrayList<>(base);
    command.addAll(List.of(arguments));
    return command;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jgits3.testing.aid.FreePort;

/** A load balancer with its sample configuration, in front of two servers of one store. */
public final class LoadBalancer implements Closeable {
  private static final Path ROOT = Path.of(System.getProperty("project.root", ".."));

  /** Program with a sample configuration; {@code etc/test} unpacks both on Debian. */
  public enum Program {
    NGINX("nginx", "nginx.conf.sample", "listen 80;", "listen 127.0.0.1:%d;"),
    HAPROXY("haproxy", "haproxy.cfg.sample", "bind :80", "bind 127.0.0.1:%d");

    private final String file;
    private final String sample;
    private final String listen;
    private final String here;

    /**
     * Program with a sample configuration.
     *
     * @param listen where it listens in the sample
     * @param here where it listens in a test
     */
    Program(String file, String sample, String listen, String here) {
      this.file = file;
      this.sample = sample;
      this.listen = listen;
      this.here = here;
    }

    public boolean isInstalled() {
      return find().isPresent();
    }

    private Optional<Path> find() {
      String path = System.getenv("PATH") + File.pathSeparator + "/usr/sbin";
      return Stream.concat(
              Stream.of(ROOT.resolve("target/tools").toAbsolutePath()),
              Stream.of(path.split(File.pathSeparator, -1)).map(Path::of))
          .map(place -> place.resolve(file))
          .filter(Files::isExecutable)
          .findFirst();
    }

    private Path require() {
      assumeTrue(isInstalled(), file + " is not installed");
      return find().orElseThrow();
    }

    private String sample() throws IOException {
      return Files.readString(ROOT.resolve("etc").resolve(sample));
    }

    private String config(int port) throws IOException {
      return sample().replace(listen, here.formatted(port));
    }

    /** The same with TLS: its lines for that, in place of the one without. */
    private String tlsConfig(int port, Path certificates) throws IOException {
      return sample()
          .replaceFirst("(?m)^ *" + listen + "\\R", "")
          .replaceAll("(?m)^( *)# (.*(listen|bind|/etc/ssl/).*)$", "$1$2")
          .replaceFirst(":443|443", "127.0.0.1:" + port)
          .replace("/etc/ssl", certificates.toString());
    }
  }

  private final Process process;
  private final int port;

  private LoadBalancer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts a program, and waits until it listens; the test is skipped where it is not installed.
   *
   * @param directory for its files, of this one alone
   */
  public static LoadBalancer start(
      Program program, Path directory, RunningServer one, RunningServer two)
      throws IOException, InterruptedException {
    int port = FreePort.find();
    return start(program, program.config(port), port, directory, one, two);
  }

  /**
   * The same with TLS.
   *
   * @param directory for its files, which has the certificate of the sample, and its key
   */
  public static LoadBalancer startWithTls(
      Program program, Path directory, RunningServer one, RunningServer two)
      throws IOException, InterruptedException {
    int port = FreePort.find();
    return start(program, program.tlsConfig(port, directory), port, directory, one, two);
  }

  private static LoadBalancer start(
      Program program,
      String sample,
      int port,
      Path directory,
      RunningServer one,
      RunningServer two)
      throws IOException, InterruptedException {
    String config =
        sample
            .replace("127.0.0.1:8417", one.uri().getAuthority())
            .replace("127.0.0.1:8418", two.uri().getAuthority())
            .replaceAll("(?m)^.*127\\.0\\.0\\.1:8419.*\\R", "");
    assertThat(config).contains("127.0.0.1:" + port).doesNotContain(":8417", ":8418");
    Path file = Files.writeString(directory.resolve("balancer.conf"), config);
    String executable = program.require().toString();
    List<String> line =
        program == Program.NGINX
            ? List.of(executable, "-p", directory + "/", "-c", nginxMain(directory, file))
            : List.of(executable, "-db", "-f", file.toString());
    Path log = directory.resolve("balancer.log");
    Process process =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!accepts(port)) {
      boolean ended = process.waitFor(20, TimeUnit.MILLISECONDS);
      if (ended || System.nanoTime() > deadline) {
        process.destroyForcibly();
        throw new AssertionError(executable + " does not listen\n" + Files.readString(log));
      }
    }
    return new LoadBalancer(process, port);
  }

  /** The file that includes the sample, as {@code /etc/nginx/nginx.conf} does. */
  private static String nginxMain(Path directory, Path sample) throws IOException {
    Files.createDirectories(directory.resolve("logs"));
    Path main =
        Files.writeString(
            directory.resolve("nginx.conf"),
            """
            daemon off;
            worker_processes 1;
            error_log stderr;
            pid nginx.pid;
            events {}
            http {
              access_log off;
              client_body_temp_path body;
              proxy_temp_path proxy;
              fastcgi_temp_path fastcgi;
              uwsgi_temp_path uwsgi;
              scgi_temp_path scgi;
              include %s;
            }
            """
                .formatted(sample));
    return main.toString();
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(loopback(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false; // not yet
    }
  }

  private static InetAddress loopback() throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }

  /** Port of 127.0.0.1 where it listens. */
  public int port() {
    return port;
  }

  /** URL of a repository, without TLS. */
  public String url(String repository) {
    return "http://127.0.0.1:" + port + "/" + repository + ".git";
  }

  /** Ends the program. */
  @Override
  public void close() {
    process.destroy();
    try {
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}

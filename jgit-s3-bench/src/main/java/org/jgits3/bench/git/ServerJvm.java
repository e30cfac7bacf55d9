// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.bench.process.JvmProgram;

/** A server in a JVM of its own. Ends with this JVM at last. */
public final class ServerJvm implements Closeable {
  private static final Pattern ANNOUNCED = Pattern.compile("listening on (\\S+)\\s");
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);
  private static final Duration END_WITHIN = Duration.ofSeconds(40);

  private final Process process;
  private final URI uri;

  private ServerJvm(Process process, URI uri) {
    this.process = process;
    this.uri = uri;
  }

  /**
   * Starts a server and waits until it says where it listens.
   *
   * @param server the program
   * @param log for what it prints
   * @return the server, ready for requests
   * @throws IOException if it does not start
   * @throws InterruptedException if the thread was interrupted; the JVM is gone
   */
  public static ServerJvm start(JvmProgram server, Path log)
      throws IOException, InterruptedException {
    Process process = server.start(log);
    try {
      return new ServerJvm(process, awaitReady(process, log));
    } catch (IOException | InterruptedException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static URI awaitReady(Process process, Path log)
      throws IOException, InterruptedException {
    Instant deadline = Instant.now().plus(READY_WITHIN);
    while (true) {
      boolean ended = process.waitFor(20, TimeUnit.MILLISECONDS);
      Matcher announced = ANNOUNCED.matcher(Files.readString(log));
      if (announced.find()) {
        return URI.create(announced.group(1));
      }
      if (ended || Instant.now().isAfter(deadline)) {
        throw new IOException("the server does not start; see " + log);
      }
    }
  }

  /**
   * Address of the server.
   *
   * @return its address, which ends in a slash
   */
  public URI uri() {
    return uri;
  }

  /**
   * URL of a repository.
   *
   * @param repository its name
   * @return its URL
   */
  public String url(String repository) {
    return uri + repository + ".git";
  }

  /**
   * Its process.
   *
   * @return its id
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Asks the server to end, by SIGTERM, and waits for it.
   *
   * @param limit longest time to wait
   * @return true if it has ended
   * @throws InterruptedException if the thread was interrupted
   */
  public boolean terminate(Duration limit) throws InterruptedException {
    process.destroy();
    return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Asks the server to end, since a profiler writes its file then, and sees to it. */
  @Override
  public void close() {
    process.destroy();
    process
        .onExit()
        .orTimeout(END_WITHIN.toSeconds(), TimeUnit.SECONDS)
        .exceptionallyCompose(late -> process.destroyForcibly().onExit())
        .join();
  }
}

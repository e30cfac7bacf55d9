// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jgits3.bench.process.ScratchDirectory;

/** A {@link Versitygw} that was started for this suite. */
public final class OwnServer implements S3Session {
  private final Versitygw server;
  private final Path buckets;
  private final ScratchDirectory scratch;

  private OwnServer(Versitygw server, Path buckets, ScratchDirectory scratch) {
    this.server = server;
    this.buckets = buckets;
    this.scratch = scratch;
  }

  /**
   * Starts the server.
   *
   * @param root directory of the sources
   * @param buckets directory that has a directory per bucket
   * @param log file for what it prints
   * @return the server, ready for requests
   * @throws IOException if it cannot be installed or does not start
   * @throws InterruptedException if the thread was interrupted
   */
  public static OwnServer start(Path root, Path buckets, Path log)
      throws IOException, InterruptedException {
    ScratchDirectory scratch = ScratchDirectory.create(buckets.resolve(SCRATCH));
    try {
      OwnServer server = new OwnServer(Versitygw.start(root, buckets, log), buckets, scratch);
      server.endpoint().useHere();
      return server;
    } catch (IOException | InterruptedException e) {
      scratch.close();
      throw e;
    }
  }

  @Override
  public S3Endpoint endpoint() {
    return server.endpoint();
  }

  @Override
  public void createBucket(String name) throws IOException {
    Files.createDirectories(buckets.resolve(name));
  }

  @Override
  public Optional<Duration> processorTime() {
    return server.processorTime();
  }

  @Override
  public void close() throws IOException {
    server.close();
    scratch.close();
  }
}

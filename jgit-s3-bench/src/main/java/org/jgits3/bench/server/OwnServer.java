// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.util.FileUtils;

/** A {@link Versitygw} that was started for this suite. */
public final class OwnServer implements S3Session {
  private final Versitygw server;
  private final Path buckets;

  private OwnServer(Versitygw server, Path buckets) {
    this.server = server;
    this.buckets = buckets;
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
    removeScratch(buckets);
    Files.createDirectories(buckets.resolve(SCRATCH));
    OwnServer server = new OwnServer(Versitygw.start(root, buckets, log), buckets);
    server.endpoint().useHere();
    return server;
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
  public void close() throws IOException {
    server.close();
    removeScratch(buckets);
  }

  private static void removeScratch(Path buckets) throws IOException {
    FileUtils.delete(
        buckets.resolve(SCRATCH).toFile(), FileUtils.RECURSIVE | FileUtils.SKIP_MISSING);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.server;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jgits3.bench.WrongUsageException;

/**
 * A server while a suite uses it, with a bucket for what does not outlive that: {@link #SCRATCH} is
 * there from the beginning, empty, and removed by {@link #close} with all that is in it.
 */
public interface S3Session extends Closeable {
  /** The bucket that is removed at the end; its name at the server is another one. */
  String SCRATCH = "scratch";

  /**
   * Reaches the server that a run was given, or starts one.
   *
   * @param server address of the one that was given; empty to start one
   * @param root directory of the sources
   * @param directory directory of the run
   * @return the server, to be closed
   * @throws WrongUsageException if the given one cannot be used
   * @throws IOException if none can be started
   * @throws InterruptedException if the thread was interrupted
   */
  static S3Session of(Optional<URI> server, Path root, Path directory)
      throws IOException, InterruptedException {
    if (server.isEmpty()) {
      return OwnServer.start(root, directory.resolve("s3"), directory.resolve("versitygw.log"));
    }
    try {
      return GivenServer.open(server.get());
    } catch (IOException e) {
      throw new WrongUsageException(e.getMessage());
    }
  }

  /**
   * Endpoint of the server, also for forked JVMs.
   *
   * @return its address, and the names of its buckets
   */
  S3Endpoint endpoint();

  /**
   * Creates a bucket, unless it is there. Later runs find it again, with what is in it, on a server
   * that this run has started ({@link S3Endpoint#own}); any other one gets it removed by {@link
   * #close}.
   *
   * @param name a name within the benchmarks, see {@link S3Endpoint#bucket}
   * @throws IOException if it cannot be created
   */
  void createBucket(String name) throws IOException;

  /**
   * Processor time of the server so far.
   *
   * @return its processor time; empty if it was not started by this run, or the system does not
   *     tell
   */
  Optional<Duration> processorTime();
}

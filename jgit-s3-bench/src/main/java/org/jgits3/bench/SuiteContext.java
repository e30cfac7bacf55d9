// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.jmh.JmhRun;
import org.jgits3.bench.profile.FlameGraphs;
import org.jgits3.bench.server.GivenServer;
import org.jgits3.bench.server.OwnServer;
import org.jgits3.bench.server.S3Session;

/**
 * Request to a suite, with its directories.
 *
 * @param effort how much to measure
 * @param refs number of refs, for suites that have any
 * @param givenRefs file with the refs of the user's own repository, as {@code git ls-remote} prints
 *     them; empty to generate refs
 * @param served whether of refs only pushes and listings over HTTP are measured
 * @param maxMegabytes size of the largest object, in MiB, for suites that transfer any
 * @param root directory of the sources, where {@code etc/} and {@code target/} are
 * @param data directory for generated data, which later runs use again
 * @param server S3 server to use; empty to start one
 * @param flameGraphs profiles the JVMs that measure; empty as a rule
 * @param progress told what is being done
 */
public record SuiteContext(
    Effort effort,
    int refs,
    Optional<Path> givenRefs,
    boolean served,
    int maxMegabytes,
    Path root,
    Path data,
    Optional<URI> server,
    Optional<FlameGraphs> flameGraphs,
    Progress progress) {
  /**
   * Tests whether few iterations suffice.
   *
   * @return true if not everything is to be measured
   */
  public boolean quick() {
    return effort != Effort.FULL;
  }

  /**
   * Reaches S3: the server that was named, with the credentials and the region of the usual AWS
   * environment, or one that is started for this call.
   *
   * @return the server, to be closed
   * @throws IOException if it cannot be reached, refuses the credentials or does not start, with
   *     one line that says why
   * @throws InterruptedException if the thread was interrupted
   */
  public S3Session openS3() throws IOException, InterruptedException {
    return server.isPresent()
        ? GivenServer.open(server.get())
        : OwnServer.start(root, data.resolve("s3"), data.resolve("versitygw.log"));
  }

  /**
   * Returns a runner of JMH.
   *
   * @param jvmOptions options of the JVMs that are forked
   * @return runs benchmarks
   */
  public JmhRun jmh(List<String> jvmOptions) {
    return new JmhRun(jvmOptions, data.resolve("jmh.log"), flameGraphs);
  }

  /**
   * Options for a JVM that measures, besides JMH's, which {@link #jmh} takes care of: they attach
   * the profiler if it is asked for.
   *
   * @param name what it measures, for the name of its flame graph
   * @return the options, none as a rule
   */
  public List<String> profilerOptions(String name) {
    return flameGraphs.map(f -> f.jvmOptions(name)).orElse(List.of());
  }

  /**
   * Profiles this JVM while it measures, if that is asked for.
   *
   * @param name what it measures, for the name of its flame graph
   * @return to be closed when it has measured
   * @throws IOException if the profiler cannot record
   */
  public Closeable profiled(String name) throws IOException {
    return flameGraphs.isPresent() ? flameGraphs.get().record(name) : () -> {};
  }
}

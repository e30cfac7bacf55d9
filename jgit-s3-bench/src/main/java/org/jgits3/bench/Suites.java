// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.util.List;
import java.util.Optional;
import org.jgits3.bench.express.ExpressSuite;
import org.jgits3.bench.git.GitSuite;
import org.jgits3.bench.hot.HotSuite;
import org.jgits3.bench.memory.MemorySuite;
import org.jgits3.bench.refs.RefsSuite;
import org.jgits3.bench.requests.RequestsSuite;
import org.jgits3.bench.transfer.TransferSuite;

/**
 * Suites of a program, in the order in which {@code run all} runs them.
 *
 * @param program name of its module
 * @param all the suites
 */
public record Suites(String program, List<Suite> all) {
  /** The benchmarks. */
  static final Suites BENCHMARKS =
      new Suites(
          "jgit-s3-bench",
          List.of(
              new RefsSuite(),
              new MemorySuite(),
              new ExpressSuite(),
              new TransferSuite(),
              new RequestsSuite(),
              new GitSuite(),
              new HotSuite()));

  /** Copies the list. */
  public Suites {
    all = List.copyOf(all);
  }

  List<String> names() {
    return all.stream().map(Suite::name).toList();
  }

  Optional<Suite> named(String name) {
    return all.stream().filter(suite -> suite.name().equals(name)).findFirst();
  }
}

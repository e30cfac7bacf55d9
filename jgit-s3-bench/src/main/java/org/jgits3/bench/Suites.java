// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.express.ExpressSuite;
import org.jgits3.bench.git.GitSuite;
import org.jgits3.bench.hot.HotSuite;
import org.jgits3.bench.memory.MemorySuite;
import org.jgits3.bench.refs.RefsSuite;
import org.jgits3.bench.requests.RequestsSuite;
import org.jgits3.bench.robust.RobustSuite;
import org.jgits3.bench.transfer.TransferSuite;

/** All suites there are, in the order in which {@code run all} runs them. */
final class Suites {
  static final List<Suite> ALL = all();

  private Suites() {}

  private static List<Suite> all() {
    List<Suite> all = new ArrayList<>();
    all.add(new RefsSuite());
    all.add(new MemorySuite());
    all.add(new ExpressSuite());
    all.add(new TransferSuite());
    all.add(new RequestsSuite());
    all.add(new GitSuite());
    all.add(new RobustSuite());
    all.add(new HotSuite());
    return List.copyOf(all);
  }

  static List<String> names() {
    return ALL.stream().map(Suite::name).toList();
  }

  static Optional<Suite> named(String name) {
    return ALL.stream().filter(suite -> suite.name().equals(name)).findFirst();
  }
}

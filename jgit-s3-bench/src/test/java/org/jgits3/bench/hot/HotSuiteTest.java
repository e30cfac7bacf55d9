// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the suite at its smallest, to see that it works; its figures mean nothing. */
class HotSuiteTest {
  @TempDir private Path directory;

  @Tag("long") // the suites of git and requests have servers
  @Test
  void all_servers_take_the_pushes_of_all_clients_and_lose_none() throws Exception {
    SuiteContext context = SmallestContext.in(directory);
    assumeTrue(
        Files.isExecutable(context.root().resolve("target/tools/versitygw")),
        "no versitygw; etc/test/versitygw installs it");
    SuiteResult result = new HotSuite().run(context);

    assertThat(result.rows()).noneMatch(Row::failed);
    for (HotEngine engine : HotEngine.values()) {
      assertThat(SuiteResult.median(result.rows(), HotFigures.PUSHES, engine.id()).orElseThrow())
          .as(engine.id())
          .isPositive();
    }
    for (HotEngine engine : List.of(HotEngine.ONE_SERVER, HotEngine.THREE_SERVERS)) {
      assertThat(SuiteResult.median(result.rows(), HotFigures.MANIFESTS, engine.id()).orElseThrow())
          .as(engine.id())
          .isPositive();
    }
    assertThat(result.headline()).as("of few clients nothing is judged").isEmpty();
    assertThat(result.missing()).containsOnlyKeys(new HotSuite().headlineKeys());
    assertThat(directory.resolve("hot")).doesNotExist();
  }
}

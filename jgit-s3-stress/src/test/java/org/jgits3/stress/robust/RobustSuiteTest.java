// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.Effort;
import org.jgits3.bench.Progress;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the suite at its smallest, to see that it works; its figures mean nothing. */
class RobustSuiteTest {
  private static final String WRITERS = "2 writers in 1 JVMs, 2 updates each: ";

  @TempDir private Path directory;

  private SuiteContext smallest(Optional<URI> server) {
    return new SuiteContext(
        Effort.SMALLEST,
        1000,
        Optional.empty(),
        false,
        16,
        Path.of(System.getProperty("project.root", "..")),
        directory,
        server,
        Optional.empty(),
        new Progress(line -> {}, System::nanoTime));
  }

  private static double of(SuiteResult result, String title, String engine) {
    return SuiteResult.median(result.rows(), title, engine).orElseThrow();
  }

  @Tag("long") // the server's tests have outages
  @Test
  void without_an_S3_server_directories_are_measured_and_one_row_says_so() throws Exception {
    SuiteContext unreachable = smallest(Optional.of(URI.create("http://127.0.0.1:1")));
    SuiteResult result = new RobustSuite().run(unreachable);

    assertThat(result.rows()).noneMatch(Row::failed);
    assertThat(result.rows())
        .filteredOn(row -> row.figure().isEmpty())
        .extracting(Row::name)
        .containsExactly("S3 server");
    assertThat(of(result, WRITERS + "committed", "directory")).isEqualTo(4);
    assertThat(of(result, WRITERS + "unknown", Findings.ASKED)).isZero();
    assertThat(of(result, "2 collections while a ref moves: dropped the garbage", "directory"))
        .isEqualTo(2);
    assertThat(result.rows())
        .extracting(Row::name)
        .contains(
            "pushes to a repository of 10 packs that nothing merges",
            "20 repositories of 900 refs, folded, -Xmx256m: OutOfMemoryError",
            "commits of a lone writer, against bare PUTs",
            "updates of a repository beside a stalled compaction, against alone");
    assertThat(result.headline()).as("of small sizes nothing is judged").isEmpty();
    assertThat(result.missing()).containsOnlyKeys(new RobustSuite().headlineKeys());
    assertThat(directory.resolve("robust/scratch")).doesNotExist();
  }

  @Tag("long") // as the test before
  @Test
  void on_S3_commands_survive_outages_and_no_client_hangs() throws Exception {
    SuiteContext context = smallest(Optional.empty());
    assumeTrue(
        Files.isExecutable(context.root().resolve("target/tools/versitygw")),
        "no versitygw; etc/test/versitygw installs it");
    SuiteResult result = new RobustSuite().run(context);

    assertThat(result.rows()).noneMatch(Row::failed);
    for (String title :
        List.of(
            "git push while the store is away for 1 s: connections refused",
            "import while the store is away for 1 s: 503 SlowDown",
            "4 pushes of 256 kB that end together, -Xmx256m: hung",
            "2 clones of 500 files at once, -Xmx256m: failed otherwise",
            WRITERS + "unknown",
            "1 processes, 2 updates each: lost")) {
      assertThat(of(result, title, "s3")).as(title).isZero();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.server.S3Session;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the comparison on a small object, to see that it works; its figures mean nothing. */
class ThroughputComparisonTest {
  @TempDir private Path directory;

  @Test
  void heap_that_is_too_small_is_one_line_that_says_what_to_do() throws Exception {
    ThroughputComparison.requireHeap(1024, 1324);

    assertThatThrownBy(() -> ThroughputComparison.requireHeap(1024, 1023))
        .hasMessage(
            "a heap of 1023 MB is too small for an object of 1024 MB;"
                + " JGIT_S3_JAVA_OPTS=-Xmx1324m is not");
  }

  @Test
  void all_four_transfers_move_the_whole_object() throws Exception {
    SuiteContext context = SmallestContext.in(directory);
    assumeTrue(
        Files.isExecutable(context.root().resolve("target/tools/versitygw")),
        "no versitygw; etc/test/versitygw installs it");
    try (S3Session s3 = context.openS3()) {
      ThroughputComparison compared = ThroughputComparison.measure(context, s3);

      assertThat(compared.uploadVsRaw().value()).isPositive();
      assertThat(compared.rangeVsGet().value()).isPositive();
      assertThat(compared.rows())
          .extracting(Row::name)
          .containsExactly("upload of 16 MB", "upload of 16 MB", "read of 16 MB", "read of 16 MB");
      assertThat(compared.rows()).allMatch(row -> row.figure().isPresent());
    }
  }
}

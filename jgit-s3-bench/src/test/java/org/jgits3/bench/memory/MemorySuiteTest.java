// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemorySuiteTest {
  @TempDir private Path data;

  @Test
  @Tag("long") // BisectionTest has the search
  void smallest_run_finds_and_profiles_a_heap_for_each_download_and_upload() throws Exception {
    SuiteResult result = new MemorySuite().run(SmallestContext.profiled(data));

    assertThat(result.rows()).noneMatch(Row::failed);
    assertThat(result.rows().stream().filter(row -> row.name().startsWith("smallest -Xmx")))
        .extracting(Row::engine)
        .containsExactly(
            "jgit-s3-4-ranges", "sdk-apache5", "sdk-netty-async", "jgit-s3", "jgit-s3");
    assertThat(result.headline()).as("figures of another size").isEmpty();
    assertThat(result.missing()).containsOnlyKeys(new MemorySuite().headlineKeys());
    assertThat(SmallestContext.flameGraphs(data))
        .extracting(name -> name.replaceFirst("-\\d+\\.html$", ""))
        .contains(
            "memory-GET-of-16-MB-1-in-a-row-jgit-s3-4-ranges",
            "memory-upload-of-24-MB-1-in-a-row-jgit-s3");
  }
}

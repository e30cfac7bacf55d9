// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the suite on few refs, to see that it works; its figures mean nothing. */
class RefsSuiteTest {
  private static final Set<RefsEngine> ON_FILES =
      EnumSet.complementOf(
          EnumSet.of(RefsEngine.S3, RefsEngine.S3_UNTRUSTED, RefsEngine.S3_WINDOW));

  @TempDir private Path directory;

  @Tag("long") // GitRunTest has one of each server; CI runs the smallest suite with all engines
  @Test
  void every_case_of_an_engine_is_measured_and_each_jvm_leaves_a_flame_graph() throws Exception {
    RefsEngine engine = RefsEngine.RAW_COMPARE;
    SuiteContext context = SmallestContext.profiled(directory);
    SuiteResult result = new RefsSuite(EnumSet.of(engine)).run(context);

    assertThat(result.rows()).noneMatch(Row::failed).allMatch(row -> row.figure().isPresent());
    assertThat(result.headline()).as("figures of another size").isEmpty();
    assertThat(result.missing()).containsOnlyKeys(new RefsSuite().headlineKeys(context));
    for (RefsCase what : RefsCase.values()) {
      assertThat(SuiteResult.median(result.rows(), what.title(), engine.id()).isPresent())
          .as("%s", what)
          .isEqualTo(what.concerns(engine));
    }
    long jvms =
        2 // the servers
            + result.rows().stream()
                .filter(row -> row.engine().equals(engine.id()))
                .filter(row -> !row.name().endsWith(RefsHeadline.ALLOCATED))
                .count();
    assertThat(SmallestContext.flameGraphs(directory))
        .hasSize((int) jvms)
        .anyMatch(name -> name.startsWith("heap-of-raw-compare-"))
        .anyMatch(name -> name.startsWith("GetRefsBenchmark."));
  }

  @Test
  void data_is_generated_once() throws Exception {
    DataSet data = DataSet.of(directory, 100);
    GerritRefs refs = new GerritRefs(100);

    assertThat(RefsEngine.DIRECTORY.prepare(data, refs)).isTrue();
    assertThat(RefsEngine.DIRECTORY.prepare(data, refs)).isFalse();
  }

  @Test
  void all_engines_on_files_give_the_same_refs() throws Exception {
    DataSet data = DataSet.of(directory, 100);
    GerritRefs refs = new GerritRefs(100);
    for (RefsEngine engine : ON_FILES) {
      engine.prepare(data, refs);
      try (RefSource source = engine.source(data);
          RefStore store = source.open()) {
        assertThat(store.prefix("refs/"))
            .as(engine.id())
            .usingElementComparator(RefsSuiteTest::compare)
            .containsExactlyElementsOf(refs.all());
      }
    }
  }

  private static int compare(Ref a, Ref b) {
    boolean same =
        a.getName().equals(b.getName())
            && a.getObjectId().equals(b.getObjectId())
            && Objects.equals(a.getPeeledObjectId(), b.getPeeledObjectId());
    return same ? 0 : 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.WrongUsageException;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExpressSuiteTest {
  @TempDir private Path data;

  private SuiteResult run(Map<String, String> variables) throws Exception {
    return new ExpressSuite(variables).run(SmallestContext.in(data));
  }

  @Test
  void asked_for_without_buckets_is_wrong_usage_although_a_server_is_named() {
    SuiteContext none = SmallestContext.in(data);
    SuiteContext named =
        new SuiteContext(
            none.effort(),
            none.refs(),
            none.givenRefs(),
            none.served(),
            none.maxMegabytes(),
            none.root(),
            none.data(),
            Optional.of(URI.create("http://127.0.0.1:1")),
            none.flameGraphs(),
            none.progress());
    for (SuiteContext context : List.of(none, named)) {
      assertThatThrownBy(() -> new ExpressSuite(Map.of()).check(context))
          .isInstanceOf(WrongUsageException.class)
          .hasMessageStartingWith("BUCKETS is not set");
    }
  }

  @Test
  void client_alone_needs_no_buckets() {
    Map<String, String> variables = Map.of("CLIENT_ONLY", "true");
    assertThatCode(() -> new ExpressSuite(variables).check(SmallestContext.in(data)))
        .doesNotThrowAnyException();
  }

  @Test
  void smallest_run_within_all_measures_each_case_on_its_own_server() throws Exception {
    SuiteResult result = run(Map.of());

    assertThat(result.rows()).noneMatch(Row::failed);
    for (ExpressCase what : ExpressCase.values()) {
      assertThat(engines(result, what.title() + ", 2 calls")).containsExactly("sdk", "jgit-s3");
    }
    assertThat(result.headline()).containsOnlyKeys("get_64k_client_us", "put_64k_client_us");
    assertThat(result.headline().values()).allMatch(us -> us.value() > 0);
    try (var left = Files.walk(data.resolve("s3")).filter(Files::isRegularFile)) {
      assertThat(left.map(Path::toString)).noneMatch(path -> path.contains("express/"));
    }
  }

  @Test
  void client_alone_is_measured_without_a_server() throws Exception {
    SuiteResult result = run(Map.of("CLIENT_ONLY", "true"));

    assertThat(result.rows()).noneMatch(Row::failed);
    assertThat(
            Arrays.stream(ExpressCase.values())
                .filter(ExpressCase::single)
                .map(what -> engines(result, ExpressRun.CLIENT_ONLY + what.title())))
        .containsOnly(List.of("sdk", "jgit-s3"));
    assertThat(result.headline()).containsOnlyKeys("get_64k_client_us", "put_64k_client_us");
    assertThat(data.resolve("s3")).doesNotExist();
  }

  @Test
  @Tag("long") // RefsSuiteTest has the flame graphs of JMH
  void each_jvm_leaves_a_flame_graph() throws Exception {
    SuiteResult result =
        new ExpressSuite(Map.of("CLIENT_ONLY", "true")).run(SmallestContext.profiled(data));

    assertThat(result.rows()).noneMatch(Row::failed);
    List<String> graphs = SmallestContext.flameGraphs(data);
    assertThat(graphs).allMatch(name -> name.startsWith("ExpressBenchmark."));
    for (String engine : List.of("sdk", "jgit-s3")) {
      assertThat(graphs)
          .filteredOn(name -> name.matches("ExpressBenchmark\\.getObject-" + engine + "-.*"))
          .as("%s: two sizes", engine)
          .hasSize(2);
    }
  }

  @Test
  void wrong_environment_is_a_failure_of_this_suite_only() throws Exception {
    SuiteResult result = run(Map.of("SAMPLE_SIZE", "many"));

    assertThat(result.rows()).singleElement().matches(Row::failed);
  }

  @Test
  void each_request_goes_to_another_bucket_than_the_one_before() {
    ExpressTarget target = new ExpressTarget(Optional.empty(), List.of("a", "b", "c"), 5);

    assertThat(IntStream.range(0, 5).mapToObj(target::bucket))
        .containsExactly("a", "b", "c", "a", "b");
  }

  private static List<String> engines(SuiteResult result, String name) {
    return result.rows().stream().filter(row -> row.name().equals(name)).map(Row::engine).toList();
  }
}

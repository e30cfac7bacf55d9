// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the suite on a small repository, to see that it works; its figures mean nothing. */
class GitRunTest {
  @TempDir private Path directory;

  private List<Row> run() throws Exception {
    return run(SmallestContext.in(directory));
  }

  private List<Row> run(SuiteContext context) throws Exception {
    return new GitRun(context, new GitPlan(2, 1, 1), directory.resolve("git"), Optional.empty())
        .run();
  }

  @Test
  void every_server_serves_verified_clones_and_pushes() throws Exception {
    List<Row> rows = run();

    assertThat(rows).hasSize(9).noneMatch(Row::failed);
    assertThat(rows).allMatch(row -> row.figure().isPresent());
    assertThat(directory.resolve("git/scratch")).doesNotExist();
    assertThat(directory.resolve("git/disk/pushed.git")).doesNotExist();
  }

  @Test
  void each_server_leaves_a_flame_graph() throws Exception {
    run(SmallestContext.profiled(directory));

    assertThat(SmallestContext.flameGraphs(directory))
        .extracting(name -> name.replaceFirst("-\\d+\\.html$", ""))
        .containsExactlyInAnyOrder("git-directory", "git-jgit-disk", "git-c-git");
  }

  @Test
  void a_server_whose_repository_is_damaged_fails_and_the_others_are_measured() throws Exception {
    run();
    try (var packs = Files.walk(directory.resolve("git/store/objects"))) {
      for (Path pack : packs.filter(file -> file.toString().endsWith(".pack")).toList()) {
        Files.delete(pack);
      }
    }
    List<Row> rows = run();
    assertThat(rows)
        .filteredOn(Row::failed)
        .as("%s", rows)
        .extracting(Row::engine)
        .containsOnly("directory")
        .hasSize(3);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the suite on a small repository, to see that it works; its figures mean nothing. */
class GitRunTest {
  @TempDir private Path directory;

  private List<Row> run(SuiteContext context, GitPlan plan) throws Exception {
    return new GitRun(context, plan, directory.resolve("git"), Optional.empty()).run();
  }

  /** Makes what a run finds that is not the first one. */
  private void prepare() throws Exception {
    GitClient git = GitClient.in(directory.resolve("home"));
    Path source = directory.resolve("git/disk/collected.git");
    SyntheticRepository.generate(git, source, 2_000_000);
    String config = "[s3]\n\tstore = file:" + directory.resolve("git/store");
    StoreHost.at(directory.resolve("host"), config, List.of()).provide(source, "collected");
  }

  @Test
  void every_server_serves_verified_transfers_and_a_flame_graph_a_round() throws Exception {
    List<Row> rows = run(SmallestContext.profiled(directory), new GitPlan(2, 2, 1, 2));

    assertThat(rows).hasSize(9).noneMatch(Row::failed);
    assertThat(rows).allMatch(row -> row.figure().isPresent());
    assertThat(rows)
        .filteredOn(row -> row.name().equals(GitCase.CLONE_WARM.title()))
        .extracting(
            Row::engine,
            row -> row.figure().orElseThrow().jvms(),
            row -> row.figure().orElseThrow().samples().size())
        .as("engines that are not judged take part in fewer rounds")
        .containsExactly(tuple("directory", 1, 2), tuple("jgit-disk", 2, 4), tuple("c-git", 1, 2));
    assertThat(directory.resolve("git/scratch")).doesNotExist();
    assertThat(directory.resolve("git/disk/pushed.git")).doesNotExist();
    assertThat(SmallestContext.flameGraphs(directory))
        .extracting(name -> name.replaceFirst("-\\d+\\.html$", ""))
        .containsExactlyInAnyOrder("git-directory", "git-jgit-disk", "git-jgit-disk", "git-c-git");
  }

  @Tag("long") // every_server_serves_verified_clones has the check
  @Test
  void a_server_whose_repository_is_damaged_fails_and_the_others_are_measured() throws Exception {
    prepare();
    try (var packs = Files.walk(directory.resolve("git/store/objects"))) {
      for (Path pack : packs.filter(file -> file.toString().endsWith(".pack")).toList()) {
        Files.delete(pack);
      }
    }
    List<Row> rows = run(SmallestContext.in(directory), new GitPlan(2, 1, 1, 1));
    assertThat(rows)
        .filteredOn(Row::failed)
        .as("%s", rows)
        .extracting(Row::engine)
        .containsOnly("directory")
        .hasSize(3);
  }

  @Test
  void a_repository_has_its_name_only_when_it_is_collected() throws Exception {
    GitClient git = GitClient.in(directory.resolve("home"));
    Path source = directory.resolve("source.git");
    SyntheticRepository.generate(git, source, 100_000);
    Path stored = directory.resolve("stored");
    StoreHost host =
        StoreHost.at(directory.resolve("host"), "[s3]\n\tstore = file:" + stored, List.of());
    host.create("whole-begun");

    host.provide(source, "whole");
    host.provide(source, "whole");

    try (S3RepositoryManager manager = S3RepositoryManager.open(S3Settings.load(host.config()));
        S3Repository whole = manager.openRepository("whole")) {
      assertThat(manager.list()).containsExactly("whole");
      assertThat(whole.getObjectDatabase().getPacks())
          .extracting(pack -> pack.getPackDescription().getPackSource())
          .contains(PackSource.GC)
          .doesNotContain(PackSource.RECEIVE, PackSource.INSERT);
    }
  }
}

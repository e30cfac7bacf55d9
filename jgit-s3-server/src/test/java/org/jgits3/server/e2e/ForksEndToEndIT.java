// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.RunningServer;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Templates and forks from the command line, with real pushes and clones. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ForksEndToEndIT extends EachStoreContract {
  private static final ObjectMapper JSON = new ObjectMapper();

  @BeforeEach
  void push() {
    for (int i = 0; i < 3; i++) {
      work.commitFile("file " + i + ".txt", "content " + i + "\n");
      work.run("push", "-q", server.url("course"), "main");
    }
    work.run("tag", "-a", "-m", "one", "v1");
    work.run("push", "-q", server.url("course"), "v1");
  }

  /** A process: it has cached nothing of what commands here write, and sweeps delete. */
  @Override
  RunningServer start(ServedStore served) throws IOException {
    return ServerProcess.start(served, "--create-on-push");
  }

  private Command run(String... args) {
    return Command.run(store, args);
  }

  private JsonNode json(String... args) throws IOException {
    return JSON.readTree(run(args).succeeds().stdout());
  }

  private void isSound(String name) {
    assertThat(run("verify", name).succeeds().stdout()).contains(name + " is sound");
  }

  private GitClient cloned(String name, String directory) throws IOException {
    GitClient git = GitClient.in(scratch);
    git.run("clone", "-q", server.url(name), directory);
    git.at(directory).run("fsck", "--full", "--strict");
    return git.at(directory);
  }

  @Test
  void a_template_is_forked_pushed_to_collected_detached_deleted_and_swept() throws Exception {
    assertThat(run("template", "course", "base").succeeds().stdout())
        .startsWith("Made the template base of course: ");
    assertThat(run("fork", "base", "a").succeeds().stdout()).isEqualTo("Forked a from base\n");
    assertThat(json("fork", "base", "b", "--json").get("ok").asBoolean()).isTrue();
    String refs = work.run("ls-remote", server.url("course"));
    assertThat(work.run("ls-remote", server.url("a"))).isEqualTo(refs);
    GitClient a = cloned("a", "clone-a");
    cloned("b", "clone-b");
    cloned("base", "clone-base");

    for (int i = 0; i < 3; i++) {
      a.commitFile("own " + i + ".txt", "own " + i + "\n");
      a.run("push", "-q", "origin", "main");
    }
    String own = a.run("rev-parse", "main");
    GitResult refused = work.attempt("push", server.url("base"), "main:refs/heads/new");
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.stderr()).contains("is a template, which is never written; fork it");

    run("gc", "a").succeeds();
    JsonNode stats = json("stats", "a", "--json");
    assertThat(stats.get("template").asText())
        .isEqualTo(json("stats", "base", "--json").get("repositoryId").asText());
    assertThat(stats.get("ownPacks").asInt()).isEqualTo(1);
    assertThat(run("stats", "a").succeeds().stdout()).contains("all but 1 pack are its");
    assertThat(run("stats", "base").succeeds().stdout()).contains("this is one");
    run("sweep", "--all", "--grace-hours", "0").succeeds();
    isSound("a");
    isSound("b");
    isSound("base");
    assertThat(cloned("a", "again").run("rev-parse", "main")).isEqualTo(own);

    assertThat(run("delete", "base").failsInOneLine(1).stderr())
        .contains("base: the template has 2 forks, a and b; delete or detach them first");
    run("export", "a", scratch.resolve("a.git").toString()).succeeds();
    assertThat(work.at(scratch.resolve("a.git")).run("rev-parse", "main")).isEqualTo(own);
    assertThat(Files.exists(scratch.resolve("a.git/objects/info/alternates"))).isFalse();

    run("gc", "b", "--detach").succeeds();
    assertThat(run("delete", "base", "--detach").succeeds().stdout())
        .isEqualTo("Detached a\nDeleted base\n");
    run("sweep", "--all", "--full", "--grace-hours", "0").succeeds();
    isSound("a");
    isSound("b");
    assertThat(cloned("a", "last").run("rev-parse", "main")).isEqualTo(own);
    assertThat(work.run("ls-remote", server.url("b"))).isEqualTo(refs);
  }

  @Test
  void what_cannot_be_done_is_one_line_and_changes_nothing() throws Exception {
    run("template", "course", "base").succeeds();
    run("fork", "base", "a").succeeds();
    List<String> names = run("list").succeeds().stdout().lines().toList();
    assertThat(run("fork", "course", "x").failsInOneLine(1).stderr())
        .contains("course is no template");
    assertThat(run("fork", "base", "course").failsInOneLine(1).stderr())
        .contains("there is a repository course already");
    assertThat(run("fork", "none", "x").failsInOneLine(1).stderr()).contains("none");
    assertThat(run("template", "none", "x").failsInOneLine(1).stderr()).contains("none");
    assertThat(run("template", "a", "x").failsInOneLine(1).stderr())
        .contains("a is a fork; detach it first");
    assertThat(run("template", "base", "x").failsInOneLine(1).stderr())
        .contains("base is a template already");
    assertThat(run("template", "course", "a").failsInOneLine(1).stderr())
        .contains("there is a repository a already");
    assertThat(run("config", "base", "gc.auto", "1").failsInOneLine(1).stderr())
        .contains("is a template, which is never written");
    assertThat(run("delete", "none", "--detach").failsInOneLine(1).stderr()).contains("none");
    assertThat(run("list").succeeds().stdout().lines()).containsExactlyInAnyOrderElementsOf(names);
    assertThat(run("gc", "--all", "--json").succeeds().stdout()).contains("\"base\"");
    assertThat(run("gc", "course", "--detach", "--json").succeeds().stdout())
        .contains("\"course\"");
    run("delete", "a").succeeds();
    run("delete", "base", "--detach").succeeds();
    run("init", "base").succeeds();
  }
}

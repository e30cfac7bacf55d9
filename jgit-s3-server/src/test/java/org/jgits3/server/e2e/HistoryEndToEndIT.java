// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the history of real pushes: the reflog, the log, and the way back. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class HistoryEndToEndIT extends EachStoreContract {
  private static final ObjectMapper JSON = new ObjectMapper();

  @BeforeEach
  void push() throws Exception {
    work.commitFile("a.txt", "first\n");
    work.run("push", "-q", server.url("r"), "main");
  }

  private List<JsonNode> log(String... options) throws IOException {
    List<String> args = new ArrayList<>(List.of("log", "r", "--json"));
    args.addAll(List.of(options));
    List<JsonNode> lines = new ArrayList<>();
    Command command = Command.run(store, args.toArray(String[]::new)).succeeds();
    for (String line : command.stdout().lines().toList()) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  private long generation() throws IOException {
    List<JsonNode> log = log();
    return log.get(log.size() - 1).get("generation").asLong();
  }

  private String served(String ref) {
    String line = Command.run(store, "refs", "r", ref).succeeds().stdout().strip();
    return line.isEmpty() ? "" : line.substring(0, 40);
  }

  private String restore(long generation, String... options) {
    List<String> args = new ArrayList<>();
    args.addAll(List.of("restore-refs", "r", "--at", Long.toString(generation)));
    args.addAll(List.of(options));
    return Command.run(store, args.toArray(String[]::new)).succeeds().stdout();
  }

  @Test
  void reflog_shows_each_push_and_git_finds_what_was_overwritten() throws Exception {
    String lost = work.run("rev-parse", "main");
    work.run("commit", "-q", "--amend", "-m", "Say it otherwise");
    work.run("push", "-q", "--force", server.url("r"), "main");
    String now = work.run("rev-parse", "main");

    Command text = Command.run(store, "reflog", "r", "main").succeeds();
    assertThat(text.stdout().lines()).hasSize(2);
    assertThat(text.stdout())
        .startsWith(now.substring(0, 10) + " refs/heads/main@{0} ")
        .contains(lost.substring(0, 10) + " refs/heads/main@{1} ")
        .contains("push");
    JsonNode json =
        JSON.readTree(
            Command.run(store, "reflog", "r", "refs/heads/main", "--json").succeeds().stdout());
    assertThat(json.get(0).get("oldId").asText()).isEqualTo(lost);
    assertThat(json.get(0).get("newId").asText()).isEqualTo(now);
  }

  @Test
  void reflog_of_a_deleted_branch_tells_its_last_id_and_the_user() throws Exception {
    String lost = work.run("rev-parse", "main");
    for (String ref : List.of("refs/heads/topic", "refs/tags/v1")) {
      work.run("push", "-q", server.url("r"), "main:" + ref);
      work.run("push", "-q", server.url("r"), ":" + ref);

      String name = ref.substring(ref.lastIndexOf('/') + 1);
      Command text = Command.run(store, "reflog", "r", name).succeeds();
      assertThat(text.stdout().lines())
          .satisfiesExactly(
              line -> assertThat(line).startsWith("0000000000 ").contains("anonymous", "deleted"),
              line -> assertThat(line).startsWith(lost.substring(0, 10) + " "));
      JsonNode json =
          JSON.readTree(Command.run(store, "reflog", "r", ref, "--json").succeeds().stdout());
      assertThat(json.get(0).get("oldId").asText()).isEqualTo(lost);
      assertThat(json.get(0).get("email").asText()).isEqualTo("anonymous@127.0.0.1");
    }
  }

  @Test
  void log_has_a_line_for_each_message_of_a_push_all_of_one_generation() throws Exception {
    long first = generation();
    String two = work.commitFile("b.txt", "second\n");
    work.run("push", "-q", "--atomic", server.url("r"), "main", "main:refs/heads/copy");

    List<JsonNode> since = log("--since", Long.toString(first));
    assertThat(since)
        .extracting(line -> line.get("generation").asLong())
        .containsOnly(generation());
    assertThat(since)
        .flatExtracting(line -> line.findValuesAsText("ref"))
        .containsExactlyInAnyOrder("refs/heads/main", "refs/heads/copy");
    assertThat(since).flatExtracting(line -> line.findValuesAsText("newId")).containsOnly(two);
    assertThat(Command.run(store, "log", "r").succeeds().stdout())
        .contains(" refs/heads/main", " refs/heads/copy", two);
    assertThat(log("--since", Long.toString(generation()))).isEmpty();
  }

  @Test
  void log_follows_pushes_until_it_is_told_to_stop() throws Exception {
    Path out = Files.createFile(scratch.resolve("log.out"));
    Path err = Files.createFile(scratch.resolve("log.err"));
    Process follower = store.start(out, err, "log", "r", "--follow", "--json");
    try {
      ConcurrentTasks.waitWhile(() -> Files.readAllLines(out).size() < 1);
      String two = work.commitFile("b.txt", "second\n");
      work.run("push", "-q", server.url("r"), "main");
      ConcurrentTasks.waitWhile(() -> Files.readAllLines(out).size() < 2);
      assertThat(JSON.readTree(Files.readAllLines(out).get(1)).findValuesAsText("newId"))
          .contains(two);
      follower.toHandle().destroy();
      assertThat(follower.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(Files.readString(err)).isEmpty();
      assertThat(Files.readString(out)).endsWith("\n");
    } finally {
      follower.destroyForcibly().waitFor();
    }
  }

  @Test
  void restored_refs_are_those_of_the_generation_and_git_fetches_them() throws Exception {
    String first = work.run("rev-parse", "main");
    long then = generation();
    work.commitFile("b.txt", "second\n");
    work.run("tag", "-a", "-m", "v1", "v1");
    work.run("push", "-q", server.url("r"), "main", "v1");
    String second = work.run("rev-parse", "main");

    assertThat(restore(then)).contains("refs/heads/main", "refs/tags/v1", "nothing was changed");
    assertThat(served("refs/heads/main")).isEqualTo(second);

    long before = generation();
    assertThat(restore(then, "--apply")).contains("Restored 2 refs to generation " + then);
    assertThat(served("refs/heads/main")).isEqualTo(first);
    assertThat(served("refs/tags/v1")).isEmpty();
    GitClient clone = GitClient.in(Files.createDirectory(scratch.resolve("c")));
    clone.run("clone", "-q", server.url("r"), "clone");
    assertThat(clone.at("clone").run("rev-parse", "origin/main")).isEqualTo(first);

    assertThat(restore(before, "--apply")).contains("Restored 2 refs");
    assertThat(served("refs/heads/main")).isEqualTo(second);
    assertThat(log().get(log().size() - 1).get("message").asText())
        .isEqualTo("restore-refs: refs as of generation " + before);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tests of what clients may ask for, with the real Git. */
class ClientFeaturesTest {
  @TempDir Path directory;
  @TempDir Path scratch;

  /** Time that each write of a manifest takes. */
  private final AtomicLong millis = new AtomicLong();

  @AutoClose private S3RepositoryManager manager;
  @AutoClose private GitHttpServer server;
  private GitClient git;
  private GitClient work;

  @BeforeEach
  void serve() throws Exception {
    manager =
        TestRepositories.manager(
            new DelegatingObjectStore(new DirectoryObjectStore(directory)) {
              @Override
              public PutOutcome putIf(String key, byte[] body, Precondition precondition)
                  throws IOException {
                long end = System.nanoTime() + millis.get() * 1_000_000;
                while (System.nanoTime() < end) {
                  Thread.onSpinWait();
                }
                return super.putIf(key, body, precondition);
              }
            },
            "[init]\ndefaultBranch = main");
    manager.createRepository("r").close();
    server = GitHttpServer.builder().start(manager);
    git = GitClient.in(scratch);
    work = git.init("work");
    work.run("remote", "add", "origin", url());
    StringBuilder history = new StringBuilder();
    for (int i = 1; i <= 8; i++) {
      history.append("commit refs/heads/main\ncommitter A <a@example.com> ");
      history.append(1_600_000_000 + i).append(" +0000\ndata 2\n").append(i).append("\n");
    }
    work.run(stdin -> stdin.write(history.toString().getBytes(UTF_8)), "fast-import", "--quiet");
    work.run("tag", "v5", "main~3");
    work.run("push", "-q", "origin", "main", "v5");
  }

  private String url() {
    return server.uri() + "r.git";
  }

  private void commit(int number) {
    work.run("commit", "-q", "--allow-empty", "-m", "" + number);
  }

  /** Commits that a clone has, the newest first. */
  private static List<String> history(GitClient clone) {
    return clone.run("log", "--format=%s", "--all").lines().toList();
  }

  @Holds(
      "RefNames: No ref has a name that packed-refs or a client's lock file cannot have, without "
          + "a UTF-8 form, of more than 4096 bytes, or in more than 100 directories")
  @Test
  void name_too_long_for_the_files_of_a_client_is_refused() {
    String longest = "refs/heads/" + "a".repeat(250);
    git.run("clone", "-q", url(), "clone");
    GitResult refused = work.attempt("push", "origin", "main:" + longest + "a");
    assertThat(refused.stderr()).contains("250 bytes between two slashes");
    work.run(
        "push", "-q", "origin", "main:" + longest, "main:refs/heads/" + "b".repeat(250) + "/b");
    git.at("clone").run("fetch", "-q", "origin");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void deepen_counts_from_where_the_history_of_the_client_ends(String version) {
    List<List<String>> histories = new ArrayList<>();
    GitClient ours = shallow(version, url(), "ours");
    GitClient theirs = shallow(version, "file://" + work.directory(), "theirs");
    commit(9);
    commit(10);
    work.run("push", "-q", "origin", "main");
    for (GitClient clone : List.of(ours, theirs)) {
      clone.run("-c", "protocol.version=" + version, "fetch", "-q", "--deepen=3", "origin");
      histories.add(history(clone));
      clone.run("-c", "protocol.version=" + version, "fetch", "-q", "--deepen=1", "origin", "main");
      histories.add(history(clone));
      clone.run("-c", "protocol.version=" + version, "fetch", "-q", "--deepen=100", "origin");
      histories.add(history(clone));
      clone.run("fsck");
    }
    assertThat(histories.subList(0, 3)).isEqualTo(histories.subList(3, 6));
    assertThat(histories.get(0)).hasSize(7);
    assertThat(histories.get(2)).hasSize(10);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void deepen_of_a_history_that_has_no_end_in_the_client_brings_it_whole(String version) {
    GitClient shallow = shallow(version, url(), "shallow");
    GitClient whole = git.at("whole");
    git.run("clone", "-q", "--no-tags", url(), "whole");
    work.run("checkout", "-q", "--orphan", "other");
    commit(11);
    commit(12);
    work.run("push", "-q", "origin", "other");
    for (GitClient clone : List.of(shallow, whole)) {
      String protocol = "protocol.version=" + version;
      clone.run("-c", protocol, "fetch", "-q", "--deepen=1", "origin", "other:other");
      clone.run("fsck");
    }
    assertThat(history(shallow)).containsExactly("12", "11", "8", "7");
    assertThat(history(whole)).hasSize(10).startsWith("12", "11", "8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void deepen_of_a_shallow_and_a_whole_branch_leaves_that_whole(String version) {
    work.run("checkout", "-q", "--orphan", "other");
    for (int i = 11; i <= 15; i++) {
      commit(i);
    }
    work.run("push", "-q", "origin", "other");
    work.run("checkout", "-q", "main");
    GitClient ours = shallow(version, url(), "ours");
    GitClient theirs = shallow(version, "file://" + work.directory(), "theirs");
    String protocol = "protocol.version=" + version;
    for (GitClient clone : List.of(ours, theirs)) {
      clone.run("-c", protocol, "fetch", "-q", "origin", "other:other");
    }
    work.run("checkout", "-q", "other");
    commit(16);
    work.run("push", "-q", "origin", "other");
    for (GitClient clone : List.of(ours, theirs)) {
      clone.run("-c", protocol, "fetch", "-q", "--deepen=1", "origin", "main", "other:other");
      clone.run("fsck");
      assertThat(clone.run("log", "--format=%s", "other").lines())
          .as("%s", clone.directory())
          .containsExactly("16", "15", "14", "13", "12", "11");
      assertThat(clone.run("log", "--format=%s", "origin/main").lines())
          .as("%s", clone.directory())
          .startsWith("8", "7", "6");
    }
  }

  private GitClient shallow(String version, String from, String to) {
    git.run("-c", "protocol.version=" + version, "clone", "-q", "--no-tags", "--depth=2", from, to);
    return git.at(to);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void history_may_end_at_a_time_or_before_a_ref(String version) {
    for (String end : List.of("--shallow-since=@1600000004", "--shallow-exclude=v5")) {
      List<List<String>> histories = new ArrayList<>();
      for (String from : List.of(url(), "file://" + work.directory())) {
        String to = "clone" + end.length() + histories.size();
        git.run("-c", "protocol.version=" + version, "clone", "-q", "--no-tags", end, from, to);
        histories.add(history(git.at(to)));
      }
      assertThat(histories.get(0)).isEqualTo(histories.get(1)).isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void history_that_ends_at_a_time_has_the_tip_of_an_older_branch(String version) {
    work.run("push", "-q", "origin", "v5^^:refs/heads/old");
    String protocol = "protocol.version=" + version;
    String since = "--shallow-since=@1600000006";
    git.run("-c", protocol, "clone", "-q", "--no-single-branch", since, url(), "clone");
    GitClient clone = git.at("clone");
    clone.run("fsck");
    assertThat(clone.run("log", "--format=%s", "origin/old").lines()).containsExactly("3");
    assertThat(history(clone)).startsWith("8", "7", "6");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void tags_come_with_the_commits_that_they_point_to(String version) {
    work.run("tag", "-a", "-m", "in", "in", "main~4");
    work.run("tag", "-a", "-m", "out", "out", "main~6");
    work.run("push", "-q", "origin", "in", "out");
    git.run("-c", "protocol.version=" + version, "clone", "-q", "--depth=6", url(), "clone");
    GitClient clone = git.at("clone");
    clone.run("fsck");
    assertThat(clone.run("tag").lines()).containsExactly("in", "v5");
  }

  @ParameterizedTest
  @CsvSource({"0,tree:0", "2,tree:0", "0,tree:1", "2,tree:1", "0,tree:2", "2,blob:none"})
  void wanted_trees_and_blobs_are_sent_whatever_the_filter(String version, String filter)
      throws Exception {
    Path file = work.directory().resolve("a/b/c/file");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "content");
    Files.writeString(work.directory().resolve("top"), "top");
    work.run("add", ".");
    commit(9);
    List<String> wanted = new ArrayList<>();
    for (String path : List.of("top", "a", "a/b/c", "a/b/c/file")) {
      work.run("tag", "t" + wanted.size(), "main:" + path);
      wanted.add(work.run("rev-parse", "main:" + path).strip());
    }
    work.run("push", "-q", "--tags", "origin", "main");
    String protocol = "protocol.version=" + version;
    git.run("-c", protocol, "clone", "-q", "--no-checkout", "--filter=" + filter, url(), "clone");
    assertHas(git.at("clone"), wanted);

    GitClient byId = git.init("by-id");
    byId.run("remote", "add", "origin", url());
    byId.run("config", "remote.origin.promisor", "true");
    byId.run("config", "remote.origin.partialCloneFilter", filter);
    for (String id : wanted) {
      byId.run("-c", protocol, "fetch", "-q", "--filter=" + filter, "origin", id);
    }
    assertHas(byId, wanted);
  }

  @Test
  void wanted_trees_and_blobs_are_sent_whatever_the_depth() throws Exception {
    Files.writeString(Files.createDirectories(work.directory().resolve("a")).resolve("b"), "b");
    work.run("add", ".");
    commit(9);
    work.run("push", "-q", "origin", "main");
    GitClient byId = git.init("by-id");
    byId.run("remote", "add", "origin", url());
    List<String> wanted = work.run("rev-parse", "main:a", "main:a/b").lines().toList();
    for (String id : wanted) {
      byId.run("-c", "protocol.version=2", "fetch", "-q", "--depth=1", "origin", id);
    }
    assertHas(byId, wanted);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void clone_without_trees_has_none_if_none_is_wanted(String version) {
    String protocol = "protocol.version=" + version;
    git.run("-c", protocol, "clone", "-q", "--no-checkout", "--filter=tree:0", url(), "clone");
    String all = "--batch-check=%(objecttype)";
    assertThat(git.at("clone").run("cat-file", all, "--batch-all-objects").lines())
        .hasSize(8)
        .containsOnly("commit");
  }

  /** Checks that a clone has objects, and asks for none. */
  private static void assertHas(GitClient clone, List<String> ids) {
    clone.run("remote", "remove", "origin");
    for (String id : ids) {
      clone.run("cat-file", "-e", id);
    }
  }

  @Test
  void push_may_negotiate() {
    commit(9);
    GitResult push = work.attempt("-c", "push.negotiate=true", "push", "origin", "main");
    assertThat(push.ok()).isTrue();
    assertThat(push.stderr()).doesNotContain("negotiation");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void client_with_sha256_is_told_what_is_wrong(String version) {
    git.run("init", "-q", "--object-format=sha256", "other");
    GitClient other = git.at("other");
    other.commitFile("file", "x");
    String protocol = "protocol.version=" + version;
    assertThat(other.attempt("-c", protocol, "fetch", url()).stderr())
        .containsAnyOf("mismatched algorithms", "does not support this repository's object format");
    assertThat(other.attempt("-c", protocol, "push", url(), "HEAD:refs/heads/x").stderr())
        .contains("does not support this repository's hash algorithm");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void tag_whose_name_fills_a_packet_leaves_the_repository_to_others(String version) {
    work.run("tag", "-a", "-m", "annotated", "a");
    String name = "refs/tags/" + "b".repeat(65_420);
    GitResult push = work.attempt("push", url(), "a", "a:" + name);
    assertThat(push.stdout() + push.stderr()).contains("b".repeat(100));

    git.run("-c", "protocol.version=" + version, "clone", "-q", url(), "clone");
    assertThat(git.at("clone").run("tag").lines()).containsExactly("a", "v5");
    assertThat(push.ok()).isFalse();
  }

  @Test
  void push_shows_no_progress_of_its_one_write() {
    commit(9);
    millis.set(400); // JGit shows progress after 250 ms
    assertThat(work.attempt("push", "--progress", "origin", "main").stderr())
        .contains("main -> main")
        .doesNotContain("Updating references");
    commit(10);
    GitResult quiet = work.attempt("push", "-q", "origin", "main");
    assertThat(quiet.ok()).isTrue();
    assertThat(quiet.stderr()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void want_that_is_not_there_is_the_mistake_of_the_client(String version) {
    String id = "1".repeat(40);
    ListAppender<ILoggingEvent> events = new ListAppender<>();
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(events);
    events.start();
    try {
      GitResult fetch =
          work.attempt("-c", "protocol.version=" + version, "fetch", "origin", id + ":x");
      assertThat(fetch.ok()).isFalse();
      assertThat(fetch.stderr()).contains(id);
    } finally {
      root.detachAppender(events);
    }
    assertThat(events.list).noneMatch(e -> e.getLevel().isGreaterOrEqual(Level.WARN));
  }

  @Test
  void client_learns_why_a_large_pack_is_refused_at_its_first_object() throws Exception {
    byte[] large = RandomBytes.of(40 << 20, 1); // more than the buffers of connections
    Files.write(work.directory().resolve("large"), large);
    work.run("config", "core.compression", "0");
    work.run("add", "large");
    String tree = work.run("write-tree").strip();
    String who = "A <a@example.com> 1 ";
    String commit = "tree " + tree + "\nauthor " + who + "x\ncommitter " + who + "+0000\n\nm\n";
    String id =
        work.run(
                stdin -> stdin.write(commit.getBytes(UTF_8)),
                "hash-object",
                "-w",
                "-t",
                "commit",
                "--literally",
                "--stdin")
            .strip();
    GitResult push = work.attempt("push", "-q", "origin", id + ":refs/heads/bad");
    assertThat(push.stderr())
        .contains("remote unpack failed: error badTimezone: object " + id)
        .doesNotContain("RPC failed");
  }
}

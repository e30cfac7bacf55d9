// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.PausingProxy;
import org.jgits3.server.e2e.process.RunningServer;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerInJvm;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.store.StoreKind;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitHistory;
import org.jgits3.testing.GitResult;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of a server for real Git, on every store. After each test a fresh clone of every
 * repository it touched is sound and has the refs that the server lists, and that a process which
 * has never seen the repository reads from the store.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@ExtendWith(RandomSeed.Named.class)
@ParameterizedClass
@MethodSource("org.jgits3.store.StoreKind#ofThisRun")
@Tag("s3")
class GitEndToEndIT {
  private static final long SEED = RandomSeed.first();
  private static final int CONTENDERS = 20;
  private static final int ROUNDS = RandomSeed.count(2, 4);

  @Parameter StoreKind kind;
  private final AtomicInteger repositories = new AtomicInteger();
  private final Set<String> touched = new HashSet<>();
  private ServedStore store;
  private ServerProcess server;
  private GitClient git;

  /** Divides the large history: what its size adds is shown by one kind of store. */
  private int part() {
    return kind == StoreKind.BUCKET ? RandomSeed.count(5, 1) : 5;
  }

  @BeforeAll
  void startServer(@TempDir Path scratch) throws Exception {
    store = ServedStore.of(kind, scratch);
    server = ServerProcess.start(store, "--create-on-push");
  }

  @AfterAll
  void stopServer() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void freshClient(@TempDir Path scratch) throws IOException {
    touched.clear();
    git = GitClient.in(scratch);
  }

  @AfterEach
  void fresh_clones_are_sound(TestInfo test) {
    for (String repository : touched) {
      try {
        GitClient clone = GitAssertions.assertSound(git, server.url(repository));
        String refs = Command.run(store, "refs", repository, "refs/").succeeds().stdout();
        assertThat(refs.stripTrailing())
            .isEqualTo(clone.run("for-each-ref", "--format=%(objectname) %(refname)"));
      } catch (AssertionError unsound) {
        throw new AssertionError(
            test.getDisplayName() + ", -Dtest.seed=" + SEED + "; server said:\n" + server.log(),
            unsound);
      }
    }
  }

  @Test
  void repository_made_by_init_is_empty_until_the_first_push() {
    String name = newName();
    Command.run(store, "init", name).succeeds();
    git.run("clone", "-q", server.url(name), "empty");
    assertThat(git.at("empty").run("for-each-ref")).isEmpty();
    String commit = git.at("empty").commitFile("a.txt", "first\n");
    git.at("empty").run("push", "-q", "origin", "HEAD:main");
    assertThat(served(name, "refs/heads/main")).isEqualTo(commit);
    touched.add(name);
  }

  @Test
  void clone_has_what_was_pushed() {
    GitClient work = pushedRepository();
    git.run("clone", "-q", origin(work), "clone");
    assertThat(git.at("clone").run("rev-parse", "HEAD")).isEqualTo(work.run("rev-parse", "HEAD"));
    assertThat(git.at("clone").run("status", "--porcelain")).isEmpty();
    assertThat(git.at("clone").run("symbolic-ref", "HEAD")).isEqualTo("refs/heads/main");
  }

  @Test
  void push_that_is_no_fast_forward_is_refused_unless_forced() {
    GitClient work = pushedRepository();
    String before = work.run("rev-parse", "main");
    work.run("commit", "-q", "--amend", "-m", "Say it otherwise");
    GitResult refused = work.attempt("push", "origin", "main");
    assertThat(refused.exitCode()).as("%s", refused).isEqualTo(1);
    assertThat(refused.stderr()).contains("[rejected]", "non-fast-forward");
    assertThat(served(name(work), "refs/heads/main")).isEqualTo(before);

    work.run("push", "-q", "--force-with-lease=main:" + before, "origin", "main");
    assertThat(served(name(work), "refs/heads/main")).isEqualTo(work.run("rev-parse", "main"));
  }

  @Test
  void deleted_branch_is_gone() {
    GitClient work = pushedRepository();
    work.run("push", "-q", "origin", "main:topic", "main:other");
    work.run("push", "-q", "origin", "--delete", "topic");
    assertThat(served(name(work), "refs/heads/topic")).isEmpty();
    assertThat(served(name(work), "refs/heads/other")).isNotEmpty();
  }

  @Test
  void branch_is_renamed_in_one_atomic_push() {
    GitClient work = pushedRepository();
    work.run("push", "-q", "origin", "main:old/name");
    work.run("push", "-q", "--atomic", "origin", ":old/name", "main:new/name");
    assertThat(served(name(work), "refs/heads/new/name")).isEqualTo(work.run("rev-parse", "main"));
    assertThat(served(name(work), "refs/heads/old/name")).isEmpty();
  }

  @Test
  void tags_are_listed_with_what_they_peel_to() {
    GitClient work = pushedRepository();
    work.run("tag", "light");
    work.run("tag", "-a", "annotated", "-m", "Release");
    work.run("tag", "-a", "nested", "-m", "Release of a release", "annotated");
    work.run("tag", "of-a-tree", "main^{tree}");
    work.run("push", "-q", "origin", "--tags");
    String commit = work.run("rev-parse", "main");
    assertThat(served(name(work), "refs/tags/light")).isEqualTo(commit);
    assertThat(served(name(work), "refs/tags/light^{}")).isEmpty();
    assertThat(served(name(work), "refs/tags/annotated"))
        .isEqualTo(work.run("rev-parse", "annotated"));
    assertThat(served(name(work), "refs/tags/annotated^{}")).isEqualTo(commit);
    assertThat(served(name(work), "refs/tags/nested^{}")).isEqualTo(commit);
    work.run("push", "-q", "origin", "--delete", "light");
    assertThat(served(name(work), "refs/tags/light")).isEmpty();
  }

  @Test
  void renamed_repository_is_found_under_its_new_name_only() {
    GitClient work = pushedRepository();
    String from = name(work);
    String to = newName();
    Command.run(store, "rename", from, to).succeeds();
    assertThat(served(to, "refs/heads/main")).isEqualTo(work.run("rev-parse", "main"));
    GitResult gone = git.attempt("ls-remote", server.url(from));
    assertThat(gone.ok()).as("%s", gone).isFalse();
    work.run("remote", "set-url", "origin", server.url(to));
    work.commitFile("a.txt", "after the rename\n");
    work.run("push", "-q", "origin", "main");
    touched.remove(from);
    touched.add(to);
  }

  @Test
  void deleted_repository_is_gone_and_its_name_can_start_anew() {
    GitClient work = pushedRepository();
    String name = name(work);
    Command.run(store, "delete", name).succeeds();
    assertThat(git.attempt("ls-remote", server.url(name)).ok()).isFalse();
    assertThat(Command.run(store, "list").succeeds().stdout().lines()).doesNotContain(name);
    Command.run(store, "init", name).succeeds();
    assertThat(git.run("ls-remote", server.url(name))).isEmpty();
    work.run("push", "-q", "origin", "main");
  }

  @Test
  void atomic_push_with_one_bad_ref_changes_nothing() {
    GitClient work = pushedRepository();
    work.run("push", "-q", "origin", "main:a", "main:b");
    String before = git.run("ls-remote", origin(work));
    String moved = work.commitFile("a.txt", "moved\n");
    // The client believes that c does not exist; the server refuses it, and a and b with it.
    git.run("clone", "-q", origin(work), "other");
    git.at("other").commitFile("x.txt", "unrelated\n");
    git.at("other").run("push", "-q", "origin", "HEAD:c");
    String withC = git.run("ls-remote", origin(work));
    GitResult refused =
        work.attempt("push", "--atomic", "origin", "main:a", "+main:b", "main:c", "main:d");
    assertThat(refused.exitCode()).as("%s", refused).isEqualTo(1);
    assertThat(git.run("ls-remote", origin(work))).isEqualTo(withC).isNotEqualTo(before);
    assertThat(withC).doesNotContain(moved);
  }

  @Test
  void atomic_push_with_a_ref_the_server_refuses_changes_nothing() {
    GitClient work = pushedRepository();
    work.run("push", "-q", "origin", "main:dir/file");
    work.commitFile("a.txt", "moved\n");
    String before = git.run("ls-remote", origin(work));
    GitResult refused = work.attempt("push", "--atomic", "origin", "main", "main:dir", "main:new");
    assertThat(refused.exitCode()).as("%s", refused).isEqualTo(1);
    assertThat(git.run("ls-remote", origin(work))).isEqualTo(before);
    GitResult partly = work.attempt("push", "origin", "main:dir", "main:new");
    assertThat(partly.exitCode()).as("%s", partly).isEqualTo(1);
    assertThat(served(name(work), "refs/heads/new")).isEqualTo(work.run("rev-parse", "main"));
  }

  @Test
  void push_options_are_taken() {
    GitClient work = pushedRepository();
    work.commitFile("a.txt", "with options\n");
    work.run("push", "-q", "-o", "ci.skip", "-o", "reviewer=zoe", "origin", "main");
    assertThat(served(name(work), "refs/heads/main")).isEqualTo(work.run("rev-parse", "main"));
  }

  @Test
  void shallow_clone_deepens_and_becomes_complete() {
    GitClient work = pushedRepository();
    for (int i = 0; i < 10; i++) {
      work.commitFile("a.txt", "version " + i + "\n");
    }
    work.run("push", "-q", "origin", "main");
    git.run("clone", "-q", "--depth=2", origin(work), "shallow");
    GitClient shallow = git.at("shallow");
    assertThat(shallow.run("rev-list", "--count", "HEAD")).isEqualTo("2");
    shallow.run("fetch", "-q", "--depth=5");
    assertThat(shallow.run("rev-list", "--count", "HEAD")).isEqualTo("5");
    String commit = shallow.commitFile("b.txt", "from a shallow clone\n");
    shallow.run("push", "-q", "origin", "main");
    assertThat(served(name(work), "refs/heads/main")).isEqualTo(commit);
    shallow.run("fetch", "-q", "--unshallow");
    assertThat(shallow.run("rev-list", "--count", "HEAD")).isEqualTo("12");
    GitAssertions.assertIntact(shallow);
  }

  @Test
  void partial_clone_fetches_blobs_when_they_are_read() {
    GitClient work = pushedRepository();
    work.commitFile("old.txt", "only in the past\n");
    String blob = work.run("rev-parse", "HEAD:old.txt");
    work.run("rm", "-q", "old.txt");
    work.run("commit", "-q", "-m", "Remove old.txt");
    work.run("push", "-q", "origin", "main");
    git.run("clone", "-q", "--filter=blob:none", origin(work), "partial");
    GitClient partial = git.at("partial");
    assertThat(partial.run("rev-list", "--objects", "--all", "--missing=print").lines())
        .contains("?" + blob);
    assertThat(partial.run("cat-file", "blob", blob)).isEqualTo("only in the past");
    assertThat(partial.run("rev-list", "--objects", "--all", "--missing=print").lines())
        .doesNotContain("?" + blob);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void each_protocol_version_serves_clone_push_and_fetch(String version) {
    GitClient work = pushedRepository();
    String protocol = "protocol.version=" + version;
    work.run("tag", "-a", "v1", "-m", "Release");
    work.run("-c", protocol, "push", "-q", "origin", "v1");
    git.run("-c", protocol, "clone", "-q", origin(work), "clone");
    GitClient clone = git.at("clone");
    String commit = clone.commitFile("a.txt", "through version " + version + "\n");
    clone.run("-c", protocol, "push", "-q", "origin", "main");
    work.run("-c", protocol, "fetch", "-q");
    assertThat(work.run("rev-parse", "origin/main")).isEqualTo(commit);
    assertThat(git.run("-c", protocol, "ls-remote", origin(work)))
        .contains("refs/tags/v1^{}", "HEAD")
        .isEqualTo(git.run("ls-remote", origin(work)));
  }

  @Test
  void one_of_twenty_concurrent_pushes_to_a_branch_wins() throws Exception {
    GitClient work = pushedRepository();
    List<GitClient> clients = new ArrayList<>();
    for (int i = 0; i < CONTENDERS; i++) {
      git.run("clone", "-q", origin(work), "contender" + i);
      clients.add(git.at("contender" + i));
    }
    for (int round = 0; round < ROUNDS; round++) {
      List<Callable<GitResult>> pushes = new ArrayList<>();
      for (GitClient client : clients) {
        client.run("fetch", "-q");
        client.run("reset", "-q", "--hard", "origin/main");
        client.commitFile("who.txt", client.directory().getFileName() + " in " + round + "\n");
        pushes.add(() -> client.attempt("push", "origin", "main"));
      }
      assertThat(concurrently(pushes)).as("round %d", round).satisfies(this::oneWins);
    }
  }

  private void oneWins(List<? extends GitResult> pushes) {
    assertThat(pushes.stream().filter(GitResult::ok)).hasSize(1);
    assertThat(pushes.stream().filter(push -> !push.ok()))
        .allSatisfy(
            push -> {
              assertThat(push.exitCode()).as("%s", push).isEqualTo(1);
              assertThat(push.stderr())
                  .containsPattern("! \\[(remote )?rejected\\]")
                  .containsPattern(
                      "fetch first|non-fast-forward|failed to update ref|failed to lock|invalid old id");
            });
  }

  @Test
  void concurrent_pushes_to_branches_of_their_own_all_succeed_on_two_servers() throws Exception {
    GitClient work = pushedRepository();
    try (RunningServer second = ServerInJvm.start(store)) {
      List<RunningServer> servers = List.of(server, second);
      List<Callable<GitResult>> pushes = new ArrayList<>();
      for (int i = 0; i < CONTENDERS; i++) {
        git.run("clone", "-q", origin(work), "writer" + i);
        GitClient client = git.at("writer" + i);
        client.commitFile("a" + i + ".txt", "content " + i + "\n");
        String url = servers.get(i % 2).url(name(work));
        String branch = "HEAD:branch" + i;
        pushes.add(() -> client.attempt("push", url, branch));
      }
      assertThat(concurrently(pushes))
          .allSatisfy(push -> assertThat(push.ok()).as("%s", push).isTrue());
      assertThat(git.run("ls-remote", "--heads", origin(work)).lines()).hasSize(CONTENDERS + 1);
    }
  }

  @Test
  void history_of_thousands_of_commits_and_large_files_comes_back_as_it_went() {
    GitClient bare = GitHistory.large(SEED, part()).importInto(git, "history.git");
    String name = newName();
    bare.run("push", "-q", "--mirror", server.url(name));
    GitAssertions.assertSameRefs(bare, server.url(name));
    GitClient clone = GitAssertions.assertSound(git, server.url(name));
    assertThat(clone.run("show-ref", "--dereference"))
        .isEqualTo(bare.run("show-ref", "--dereference"));
    assertThat(clone.run("rev-list", "--all", "--objects", "--count"))
        .isEqualTo(bare.run("rev-list", "--all", "--objects", "--count"));
  }

  @Test
  void history_pushed_in_many_steps_is_as_sound_as_in_one() {
    GitClient bare = GitHistory.small(SEED).importInto(git, "small.git");
    String name = newName();
    touched.add(name);
    List<String> commits =
        bare.run("rev-list", "--first-parent", "--reverse", "main").lines().toList();
    for (int i = 0; i < commits.size(); i += 7) {
      bare.run("push", "-q", server.url(name), commits.get(i) + ":refs/heads/main");
    }
    bare.run("push", "-q", "--mirror", server.url(name));
    GitAssertions.assertSameRefs(bare, server.url(name));
  }

  @Test
  void malformed_commit_is_refused() {
    GitClient work = pushedRepository();
    String commit =
        work.run(
            stdin ->
                stdin.write(
                    ("tree " + work.run("rev-parse", "HEAD^{tree}") + "\nauthor broken\n\nx\n")
                        .getBytes(US_ASCII)),
            "hash-object",
            "-w",
            "--literally",
            "-t",
            "commit",
            "--stdin");
    refusesMalformed(work, commit, "refs/heads/malformed");
  }

  @Test
  void tree_with_the_same_name_twice_is_refused() throws IOException {
    GitClient work = pushedRepository();
    byte[] blob = HexFormat.of().parseHex(work.run("rev-parse", "HEAD:a.txt"));
    ByteArrayOutputStream tree = new ByteArrayOutputStream();
    for (int i = 0; i < 2; i++) {
      tree.write("100644 twice\0".getBytes(US_ASCII));
      tree.write(blob);
    }
    String id =
        work.run(tree::writeTo, "hash-object", "-w", "--literally", "-t", "tree", "--stdin");
    refusesMalformed(
        work, work.run("commit-tree", "-m", "Twice", "-p", "HEAD", id), "refs/heads/malformed");
  }

  private void refusesMalformed(GitClient work, String commit, String ref) {
    String before = git.run("ls-remote", origin(work));
    GitResult refused = work.attempt("push", "origin", commit + ":" + ref);
    assertThat(refused.exitCode()).as("%s", refused).isEqualTo(1);
    assertThat(refused.stderr()).contains("[remote rejected]");
    assertThat(git.run("ls-remote", origin(work))).isEqualTo(before);
  }

  /** Ways to end a server. */
  enum End {
    AT_ONCE,
    ASKED_TO
  }

  static List<End> ends() {
    return List.of(End.values()).subList(0, RandomSeed.count(1, 2));
  }

  @ParameterizedTest
  @MethodSource("ends")
  void push_that_loses_its_server_half_way_is_whole_or_has_not_been(End end) throws Exception {
    GitClient work = pushedRepository();
    String name = name(work);
    String before = git.run("ls-remote", origin(work));
    // So much is sent before the pause that no buffers of sockets have room for all of it: the
    // server
    // is at work on the request.
    GitClient history =
        new GitHistory(SEED, 50, 10, 12, List.of(24_000_000)).importInto(git, "big.git");
    ExecutorService background = Executors.newSingleThreadExecutor();
    try (ServerProcess doomed = ServerProcess.start(store, "--shutdown-timeout", "120");
        PausingProxy proxy = PausingProxy.before(doomed.uri(), 16_000_000)) {
      Future<GitResult> push =
          background.submit(
              () ->
                  history.attempt(
                      "push", "--atomic", proxy.url(name), "refs/heads/*:refs/heads/pushed/*"));
      proxy.awaitPause();
      if (end == End.ASKED_TO) {
        doomed.terminate();
      } else {
        doomed.kill();
      }
      proxy.resume();
      GitResult result = push.get();
      doomed.awaitEnd();
      assertThat(result.ok()).as("%s", result).isEqualTo(end == End.ASKED_TO);
      if (!result.ok()) {
        assertThat(git.run("ls-remote", origin(work))).isEqualTo(before);
      }
    } finally {
      background.shutdownNow();
    }
    history.run("push", "-q", "--atomic", server.url(name), "refs/heads/*:refs/heads/pushed/*");
    assertThat(git.run("ls-remote", server.url(name), "refs/heads/pushed/*").lines())
        .hasSameSizeAs(history.run("for-each-ref", "refs/heads").lines().toList());
  }

  private static <T> List<T> concurrently(List<Callable<T>> work)
      throws InterruptedException, ExecutionException {
    ExecutorService pool = Executors.newFixedThreadPool(work.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> done : pool.invokeAll(work)) {
        results.add(done.get());
      }
      return results;
    } finally {
      pool.shutdownNow();
    }
  }

  private String newName() {
    return "team/repository-" + repositories.incrementAndGet();
  }

  /** A working copy with one commit and no remote. */
  private GitClient workingCopy() {
    git.run("init", "-q", "work");
    git.at("work").commitFile("a.txt", "first\n");
    return git.at("work");
  }

  /** A working copy whose one commit is on the server. */
  private GitClient pushedRepository() {
    GitClient work = workingCopy();
    String name = newName();
    touched.add(name);
    work.run("remote", "add", "origin", server.url(name));
    work.run("push", "-q", "-u", "origin", "main");
    return work;
  }

  private String origin(GitClient work) {
    return work.run("remote", "get-url", "origin");
  }

  private String name(GitClient work) {
    String url = origin(work);
    return url.substring(server.uri().toString().length(), url.length() - ".git".length());
  }

  /** Value that the server lists for a ref, or an empty string. */
  private String served(String repository, String ref) {
    return git.run("ls-remote", server.url(repository))
        .lines()
        .filter(line -> line.endsWith("\t" + ref))
        .map(line -> line.substring(0, line.indexOf('\t')))
        .findFirst()
        .orElse("");
  }
}

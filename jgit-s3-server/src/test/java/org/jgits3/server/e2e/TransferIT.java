// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractStringAssert;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.PausingProxy;
import org.jgits3.server.e2e.process.RunningServer;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerInJvm;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitHistory;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whole repositories go in and come out as they were, or not at all. */
@Holds(
    "ImportSource, Importer, LocalSource, RemoteSource: A source that is shallow, lacks an object "
        + "or has unreadable refs is refused, and leaves nothing")
@Holds(
    "Importer, ImportedConfig, BareDirectory: Refs, `HEAD` and symbolic refs come out unchanged; "
        + "of the configuration no command, file or secret")
@Holds("Exporter: An export directory gets its name when it is complete and on disk")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@ExtendWith(RandomSeed.Named.class)
class TransferIT {
  private static final long SEED = RandomSeed.first();
  private static final int FAILED = 1;
  private static final int WRONG_USAGE = 2;

  /** Everything Git says of a ref; what annotated tags lead to included. */
  private static final String REFS =
      "--format=%(refname) %(objectname) %(objecttype) %(symref) %(*objectname)";

  @Nested
  class InDirectory extends Contract {
    @Override
    ServedStore openStore() throws IOException {
      return ServedStore.directory(scratch);
    }
  }

  @Nested
  class InBucket extends Contract {
    @Override
    ServedStore openStore() throws IOException {
      return ServedStore.bucket(S3Servers.require(), scratch);
    }

    @Test
    void killed_import_leaves_no_repository_and_is_replaced_by_the_next() throws Exception {
      GitClient source = new GitHistory(SEED, 40, 4, 3, List.of(12_000_000)).importInto(git, "src");
      assertThat(store.killed(6_000_000, scratch, "import", path(source), "r")).isTrue();
      assertThat(Command.run(store, "list").succeeds().stdout()).doesNotContain("r\n");
      Command.run(store, "refs", "r").failsInOneLine(FAILED);
      Command.run(store, "import", path(source), "r").succeeds();
      assertThat(Command.run(store, "list").succeeds().stdout()).isEqualTo("r\n");
      assertSame(export("r", "out"), source);
    }

    @Test
    @Tag("long") // a killed import of a directory is above
    void killed_import_from_a_url_is_replaced_by_the_next_and_its_rest_swept() throws Exception {
      GitClient source = new GitHistory(SEED, 40, 4, 3, List.of(12_000_000)).importInto(git, "src");
      String url = "ssh://here" + path(source);
      ServedStore elsewhere = store.with("GIT_SSH", ssh().toString());
      assertThat(elsewhere.killed(6_000_000, scratch, "import", url, "r")).isTrue();
      assertThat(Command.run(store, "list").succeeds().stdout()).isEmpty();
      Command swept =
          Command.run(store, "sweep", "--all", "--grace-hours", "0", "--json").succeeds();
      JsonNode row = new ObjectMapper().readTree(swept.stdout()).get(0);
      assertThat(row.get("objects").asInt()).isZero();
      String left = row.get("name").asText().substring("repository ".length());
      assertThat(Command.run(store, "doctor").succeeds().stdout())
          .contains("\n1 unfinished upload\n");
      Command.run(store, "refs", "r").failsInOneLine(FAILED);
      Command.run(elsewhere, "import", url, "r").succeeds();
      assertThat(Command.run(store, "list").succeeds().stdout()).isEqualTo("r\n");
      Command.run(store, "delete", "--id", left).succeeds();
      Command.run(store, "sweep", "--all", "--grace-hours", "0").succeeds();
      assertThat(store.unfinishedUploads()).isZero();
      assertThat(Command.run(store, "verify", "r").succeeds().stdout()).contains("is sound");
      assertSame(export("r", "out"), source);
    }

    @Test
    void server_that_falls_silent_within_its_pack_is_given_up() throws Exception {
      GitClient source = new GitHistory(SEED, 40, 4, 3, List.of(12_000_000)).importInto(git, "src");
      ServedStore elsewhere =
          ServedStore.directory(Files.createDirectory(scratch.resolve("elsewhere")));
      Command.run(elsewhere, "import", path(source), "r").succeeds();
      try (RunningServer server = ServerInJvm.start(elsewhere);
          PausingProxy proxy = PausingProxy.after(server.uri(), 6_000_000)) {
        git.run("clone", "-q", server.url("r"), "warm"); // so that it is not silent before
        assertGivenUp(proxy.url("r"), 10);
        proxy.awaitPause();
      }
      assertThat(store.unfinishedUploads()).isZero();
    }

    @Test
    void server_that_accepts_no_connection_is_given_up() throws Exception {
      List<Socket> waiting = new ArrayList<>();
      try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        boolean accepted = true;
        while (accepted) {
          Socket socket = new Socket();
          waiting.add(socket);
          accepted = connects(socket, full.getLocalSocketAddress());
        }
        assertGivenUp("http://127.0.0.1:" + full.getLocalPort() + "/r.git", 2);
      } finally {
        for (Socket socket : waiting) {
          socket.close();
        }
      }
    }

    private static boolean connects(Socket socket, SocketAddress address) throws IOException {
      try {
        socket.connect(address, 1000);
        return true;
      } catch (SocketTimeoutException e) {
        return false;
      }
    }

    private void assertGivenUp(String url, int seconds) {
      Command given = Command.run(store, "import", "--timeout", "" + seconds, url, "r");
      assertThat(given.failsInOneLine(FAILED).stderr())
          .isEqualTo(
              "jgit-s3: %s: the server was silent for %d s, which is --timeout%n", url, seconds);
      assertThat(Command.run(store, "list").succeeds().stdout()).isEmpty();
    }

    @Test
    void killed_export_leaves_no_directory_and_is_finished_by_the_next() throws Exception {
      GitClient source = new GitHistory(SEED, 40, 4, 3, List.of(12_000_000)).importInto(git, "src");
      Command.run(store, "import", path(source), "r").succeeds();
      Path out = scratch.resolve("out");
      assertThat(store.killed(6_000, scratch, "export", "r", out.toString())).isTrue();
      assertThat(out).doesNotExist();
      assertThat(scratch.resolve("out.part.lock")).exists();
      assertSame(export("r", "out"), source);
      assertThat(scratch.resolve("out.part.lock")).doesNotExist();
    }
  }

  /** The same of every store. */
  abstract static class Contract {
    @TempDir Path scratch;
    ServedStore store;
    GitClient git;

    abstract ServedStore openStore() throws IOException;

    @BeforeEach
    void begin() throws IOException {
      store = openStore();
      git = GitClient.in(scratch);
    }

    static String path(GitClient repository) {
      return repository.directory().toString();
    }

    /** A repository that has one of everything. */
    GitClient source() {
      GitClient source = GitHistory.small(SEED).importInto(git, "source.git");
      source.run("tag", "-a", "-m", "inner", "inner", "main");
      source.run("tag", "-a", "-m", "outer", "outer", "inner");
      source.run("notes", "add", "-m", "seen", "main");
      source.run("notes", "--ref", "review", "add", "-m", "good", "main~1");
      String created =
          """
          create refs/changes/45/12345/1 main~2
          create refs/heads/🚀 main~3
          create refs/heads/～ main~4
          create refs/heads/größe main~5
          create refs/meta/config main~6
          create refs/trees/one main~1^{tree}
          """;
      source.run(in -> in.write(created.getBytes(UTF_8)), "update-ref", "--stdin");
      source.run("symbolic-ref", "refs/heads/alias", "refs/heads/main");
      source.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/alias");
      source.run("config", "receive.denyNonFastForwards", "true");
      source.run("config", "gitweb.owner", "Zoë");
      source.run("config", "remote.origin.url", "https://user:secret@example.com/x");
      source.run("config", "http.extraHeader", "Authorization: secret");
      write(source.directory().resolve("description"), "What it is\n");
      return source;
    }

    GitClient export(String name, String directory) {
      Command.run(store, "export", name, scratch.resolve(directory).toString()).succeeds();
      return git.at(directory);
    }

    static void assertSame(GitClient exported, GitClient source) {
      assertThat(exported.run("rev-parse", "--is-bare-repository")).isEqualTo("true");
      GitAssertions.assertIntact(exported);
      assertThat(exported.run("for-each-ref", REFS)).isEqualTo(source.run("for-each-ref", REFS));
      assertThat(exported.attempt("symbolic-ref", "HEAD").stdout())
          .isEqualTo(source.attempt("symbolic-ref", "HEAD").stdout());
      assertThat(exported.attempt("rev-parse", "HEAD").stdout())
          .isEqualTo(source.attempt("rev-parse", "HEAD").stdout());
    }

    @Test
    void directory_comes_out_as_it_went_in() throws Exception {
      GitClient source = source();
      Command.run(store, "import", path(source), "group/r").succeeds();
      GitClient exported = export("group/r", "out");
      assertSame(exported, source);
      assertThat(exported.run("config", "receive.denyNonFastForwards")).isEqualTo("true");
      assertThat(exported.run("config", "gitweb.owner")).isEqualTo("Zoë");
      assertThat(Files.readString(exported.directory().resolve("config"))).doesNotContain("secret");
      assertThat(exported.directory().resolve("description")).hasContent("What it is\n");
      assertThat(exported.run("rev-list", "--objects", "--all"))
          .isEqualTo(source.run("rev-list", "--objects", "--all"));
      exported.run("gc", "-q");
      assertSame(exported, source);
    }

    @Test
    void import_is_served_and_its_url_can_be_imported_again() throws Exception {
      GitClient source = source();
      Command.run(store, "import", path(source), "r").succeeds();
      try (RunningServer server = ServerInJvm.start(store)) {
        GitAssertions.assertSound(git, server.url("r"));
        Command.run(store, "import", server.url("r"), "copy").succeeds();
      }
      GitClient exported = export("copy", "out");
      GitAssertions.assertIntact(exported);
      assertThat(exported.run("for-each-ref")).isEqualTo(source.run("for-each-ref"));
      assertThat(exported.run("symbolic-ref", "HEAD")).isEqualTo("refs/heads/main");
    }

    @Test
    void bundle_is_imported() throws Exception {
      GitClient source = GitHistory.small(SEED).importInto(git, "src");
      source.run("bundle", "create", "-q", scratch.resolve("all.bundle").toString(), "--all");
      Command.run(store, "import", scratch.resolve("all.bundle").toString(), "r").succeeds();
      GitClient exported = export("r", "out");
      GitAssertions.assertIntact(exported);
      assertThat(exported.run("for-each-ref", REFS)).isEqualTo(source.run("for-each-ref", REFS));
    }

    @Test
    void empty_repository_is_kept() {
      git.run("init", "-q", "--bare", "-b", "trunk", "empty");
      Command.run(store, "import", path(git.at("empty")), "empty").succeeds();
      GitClient empty = export("empty", "out1");
      empty.run("fsck", "--full", "--strict");
      assertThat(empty.run("for-each-ref")).isEmpty();
      assertThat(empty.run("symbolic-ref", "HEAD")).isEqualTo("refs/heads/trunk");
    }

    @Test
    void malformed_commit_is_imported_and_found_by_verify() throws Exception {
      GitClient source = GitHistory.small(SEED).importInto(git, "src");
      String commit =
          "tree %s\nauthor A U Thor <author@example.com> 0 +0000\n\nno committer\n"
              .formatted(source.run("rev-parse", "main^{tree}"));
      String bad =
          source.run(
              in -> in.write(commit.getBytes(UTF_8)),
              "hash-object",
              "-w",
              "-t",
              "commit",
              "--literally",
              "--stdin");
      source.run("update-ref", "refs/heads/bad", bad);
      String url = "ssh://here" + path(source);
      Command.run(store, "import", path(source), "r").succeeds();
      Command.run(store.with("GIT_SSH", ssh().toString()), "import", url, "fetched").succeeds();
      for (String name : List.of("r", "fetched")) {
        Command verified = Command.run(store, "verify", name);
        assertThat(verified.exitCode()).isEqualTo(FAILED);
        assertThat(verified.stdout().lines()).hasSize(1);
        assertThat(verified.stdout()).contains("commit " + bad + ": missingCommitter");
        assertThat(export(name, name + ".git").run("rev-parse", "bad")).isEqualTo(bad);
      }
    }

    /** Runs the command here that it is to run on another machine. */
    Path ssh() {
      Path ssh = scratch.resolve("ssh");
      write(ssh, "#!/bin/sh\nfor command; do :; done\nexec sh -c \"$command\"\n");
      assertThat(ssh.toFile().setExecutable(true)).isTrue();
      return ssh;
    }

    @Test
    void names_come_from_a_url_as_they_are_there() throws Exception {
      GitClient source = source();
      String url = "ssh://here" + path(source);
      ServedStore elsewhere = store.with("GIT_SSH", ssh().toString());
      Command.run(elsewhere, "import", url, "utf8").succeeds();
      Command.run(elsewhere.with("LC_ALL", "C"), "import", url, "c").succeeds();
      String names = source.run("for-each-ref", "--format=%(refname) %(objectname)");
      for (String name : List.of("utf8", "c")) {
        assertThat(
                export(name, name + ".git")
                    .run("for-each-ref", "--format=%(refname) %(objectname)"))
            .isEqualTo(names);
      }
    }

    @Test
    void repository_spread_over_packs_loose_objects_and_alternates_is_imported() throws Exception {
      GitClient source = GitHistory.small(SEED).importInto(git, "src");
      git.run("clone", "-q", "--shared", path(source), "work");
      GitClient work = git.at("work");
      work.commitFile("loose.txt", "not packed\n");
      Command.run(store, "import", path(work), "r").succeeds();
      assertSame(export("r", "out"), work);
    }

    @Test
    void stats_tell_packs_apart_by_what_wrote_them() throws Exception {
      GitClient source = GitHistory.small(SEED).importInto(git, "src");
      long objects = source.run("rev-list", "--objects", "--all").lines().count();
      Command.run(store, "import", path(source), "r").succeeds();
      try (RunningServer server = ServerInJvm.start(store)) {
        git.run("clone", "-q", server.url("r"), "work");
        git.at("work").commitFile("new.txt", "new\n");
        git.at("work").run("push", "-q", "origin", "HEAD:refs/heads/new");
      }
      JsonNode stats =
          new ObjectMapper()
              .readTree(Command.run(store, "stats", "r", "--json").succeeds().stdout());
      JsonNode packs = stats.get("packsBySource");
      assertThat(packs.get("GC").get("packs").asInt()).isEqualTo(1);
      assertThat(packs.get("GC").get("objects").asLong()).isEqualTo(objects);
      assertThat(packs.get("RECEIVE").get("packs").asInt()).isEqualTo(1);
      assertThat(packs.get("GC").get("bytes").asLong() + packs.get("RECEIVE").get("bytes").asLong())
          .isEqualTo(stats.get("packBytes").asLong());
      assertThat(stats.get("manifestBytes").asLong()).isPositive();
      assertThat(Command.run(store, "stats", "r").succeeds().stdout()).contains("GC", "RECEIVE");
    }

    @Test
    void what_cannot_be_imported_or_exported_is_refused_in_one_line() throws Exception {
      GitClient source = GitHistory.small(SEED).importInto(git, "src");
      Command.run(store, "import", path(source), "r").succeeds();
      git.run("init", "-q", "--object-format=sha256", "sha256");
      Files.writeString(scratch.resolve("file"), "no repository\n");
      Files.createDirectories(scratch.resolve("full/inside"));

      String none = scratch.resolve("none").toString();
      refused("import", none, "x").contains("no such Git repository");
      refused("import", scratch.resolve("file").toString(), "x");
      refused("import", scratch.resolve("full").toString(), "x").contains("no such Git repository");
      refused("import", path(git.at("sha256")), "x").contains("sha256");
      refused("import", "http://127.0.0.1:1/x.git", "x");
      refused("import", "nosuch://host/x.git", "x");
      refused("import", path(source), "r").contains("already");
      refused("export", "none", none).contains("none");
      refused("export", "r", scratch.resolve("full").toString()).contains("not empty");
      refused("export", "r", scratch.resolve("file").toString()).contains("not a directory");
      Command.run(store, "import", path(source), "../x").failsInOneLine(WRONG_USAGE);
      Command.run(store, "import", path(source)).failsInOneLine(WRONG_USAGE);
      Command.run(store, "export", "r").failsInOneLine(WRONG_USAGE);

      assertThat(Command.run(store, "list").succeeds().stdout()).isEqualTo("r\n");
      assertThat(Path.of(none)).doesNotExist();
      Files.createDirectory(Path.of(none));
      assertSame(export("r", "none"), source);
    }

    private AbstractStringAssert<?> refused(String... args) {
      return assertThat(Command.run(store, args).failsInOneLine(FAILED).stderr());
    }

    private static void write(Path file, String text) {
      try {
        Files.writeString(file, text);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}

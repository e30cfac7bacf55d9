// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.transaction.Folds;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.StoredFiles;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class JgitS3Test {
  private static final String UNPRINTABLE = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\n\r]]";

  @TempDir private Path dir;

  private Result inStore(String... args) {
    Stream<String> store = Stream.of("--store", "file:" + dir.resolve("store"));
    return Result.of(Stream.concat(store, Stream.of(args)).toArray(String[]::new));
  }

  @Test
  void command_that_is_named_is_built_alone_and_is_the_same_as_among_all() {
    CommandLine all = JgitS3.commandLine("--help");
    assertThat(all.getSubcommands()).hasSizeGreaterThan(20);
    for (String name : all.getSubcommands().keySet()) {
      CommandLine alone = JgitS3.commandLine("--config", "gc", "--store", "list", name, "r");
      assertThat(alone.getSubcommands()).containsOnlyKeys(name);
      assertThat(usage(alone, name)).isEqualTo(usage(all, name));
    }
  }

  private static String usage(CommandLine program, String command) {
    return program.getSubcommands().get(command).getUsageMessage();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "lst", "--store", "--store list", "--help list", "-- list", "@list"})
  void all_commands_are_known_unless_the_first_word_is_one(String args) {
    assertThat(JgitS3.commandLine(args.split(" ")).getSubcommands()).hasSizeGreaterThan(20);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "--version",
        "list",
        "list --json",
        "refs r",
        "refs r --json",
        "log r",
        "log r --json",
        "reflog r refs/heads/main",
        "config r",
        "stats r",
        "verify r",
        "verify r --json",
        "verify --names",
        "gc r",
        "sweep r --json",
        "events",
        "events --json",
        "doctor",
        "init s"
      })
  void command_whose_output_is_not_written_has_failed(String command) throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(dir.resolve("store"));
        S3Repository r = manager.createRepository("r")) {
      TestRepositories.createRef(r, "refs/heads/main", TestRepositories.commit(r, "first"));
    }
    List<String> args = new ArrayList<>(List.of("--store", "file:" + dir.resolve("store")));
    args.addAll(List.of(command.split(" ", -1)));
    StringWriter err = new StringWriter();
    CommandLine full = JgitS3.commandLine();
    full.setOut(new PrintWriter(new FileOutputStream("/dev/full"), false, UTF_8));
    full.setErr(new PrintWriter(err));
    assertThat(full.execute(args.toArray(String[]::new))).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("jgit-s3: standard output cannot be written")
        .hasLineCount(1);
  }

  @Test
  void command_must_be_given() {
    Result.of().failsWith(2, "no command given");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "frobnicate",
        "--no-such-option",
        "init",
        "refs",
        "init a b",
        "list --frobnicate",
        "serve --listen nowhere",
        "serve --listen 127.0.0.1:99999",
        "serve --max-pack-size huge",
        "serve --max-pack-size -1",
        "serve --users a --anonymous",
        "serve --shutdown-timeout -5",
        "demo --refs 0",
        "refs ../a",
        "init a.lock",
        "reflog a",
        "log",
        "log a --since x",
        "restore-refs a",
        "restore-refs a --at x",
        "restore a",
        "verify",
        "verify a --names",
        "gc",
        "sweep a --all",
        "sweep a --grace-hours -1",
      })
  void wrong_usage_is_one_line_exits_with_2_and_touches_no_store(String args) {
    inStore(args.split(" ")).failsWith(2);
    assertThat(dir.resolve("store")).doesNotExist();
  }

  @Test
  void name_that_no_repository_can_have_is_refused_in_one_line() {
    inStore("init", "line\nbreak").failsWith(2, "repository name");
    inStore("init", "../outside").failsWith(2, "repository name");
    assertThat(dir.resolve("store")).doesNotExist();
  }

  @Test
  void wrong_store_is_wrong_usage() {
    Result.of("--store", "ftp://x", "list").failsWith(2, "ftp://x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[s3]\n\tstroe = file:data\n",
        "[s3 \"rfes\"]\n\tvalidate = always\n",
        "[s3]\n\tconnections = many\n",
        "[s3]\n\tstore = ftp://x\n",
        "[s3\n"
      })
  void config_that_is_wrong_is_named(String config) throws IOException {
    Path file = Files.writeString(dir.resolve("config"), config);
    Result.of("--config", file.toString(), "list").failsWith(2, file.toString());
  }

  @Test
  void config_that_is_a_directory_or_not_there_is_named() {
    for (Path config : List.of(dir, dir.resolve("missing"))) {
      Result.of("--config", config.toString(), "list").failsWith(2, config.toString());
    }
  }

  @Test
  void size_of_the_block_cache_that_makes_no_sense_is_wrong_usage() throws IOException {
    Path config = Files.writeString(dir.resolve("config"), "[core \"dfs\"]\n\tblockSize = 1000\n");
    Result.of("--config", config.toString(), "--store", "file:" + dir, "list").failsWith(2);
  }

  @Test
  void global_options_may_stand_after_the_command() {
    Result.of("list", "--store", "file:" + dir.resolve("store")).succeeds();
  }

  @Test
  void debug_adds_the_stack_trace() {
    Result result = inStore("--debug", "refs", "none");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).startsWith("jgit-s3: ").contains("\tat org.jgits3.");
  }

  @Test
  void repositories_are_created_listed_renamed_and_deleted() throws IOException {
    assertThat(inStore("init", "a").succeeds().out()).contains("Initialized", " a ");
    assertThat(inStore("init", "--json", "team/b.git").json().get("name").asText())
        .isEqualTo("team/b");
    assertThat(inStore("list").succeeds().out().lines()).containsExactlyInAnyOrder("a", "team/b");
    inStore("rename", "a", "c").succeeds();
    assertThat(inStore("list", "--json").json())
        .map(JsonNode::asText)
        .containsExactlyInAnyOrder("c", "team/b");
    inStore("delete", "team/b").succeeds();
    assertThat(inStore("list").succeeds().out().lines()).containsExactly("c");
    assertThat(inStore("refs", "c").succeeds().out()).isEmpty();
    assertThat(inStore("refs", "c", "refs/heads/", "--json").json()).isEmpty();
  }

  @Test
  void names_are_listed_in_pages_and_by_group() throws IOException {
    for (String name : List.of("a", "team/b", "team/c", "teams", "z")) {
      inStore("init", name).succeeds();
    }
    inStore("init", "a-1").succeeds(); // its key sorts before that of "a"
    assertThat(inStore("list", "--limit", "3").succeeds().out().lines())
        .containsExactly("a", "a-1", "team/b");
    assertThat(inStore("list", "--limit", "2", "--json").json())
        .map(JsonNode::asText)
        .containsExactly("a", "a-1");
    assertThat(inStore("list", "--after", "team/b", "--limit", "2").succeeds().out().lines())
        .containsExactly("team/c", "teams");
    assertThat(inStore("list", "--prefix", "team/").succeeds().out().lines())
        .containsExactlyInAnyOrder("team/b", "team/c");
    assertThat(inStore("list", "--prefix", "team", "--after", "team/c").succeeds().out().lines())
        .containsExactly("teams");
    assertThat(inStore("list", "--after", "z").succeeds().out()).isEmpty();
    inStore("list", "--limit", "0").failsWith(2, "--limit 0: must be 1 or more");
    inStore("list", "--prefix", "a//").failsWith(2, "--prefix: ", "empty segment");
  }

  private String idOf(String name) throws IOException {
    return inStore("stats", name, "--json").json().get("repositoryId").asText();
  }

  private Path manifestOf(String id) {
    return dir.resolve("store/repos").resolve(id).resolve("manifest");
  }

  @Test
  void name_that_leads_elsewhere_after_a_restore_is_told_and_repaired() throws IOException {
    inStore("init", "a").succeeds();
    assertThat(inStore("verify", "--names").succeeds().out())
        .isEqualTo("each repository is found by its name\n");
    Files.delete(dir.resolve("store/names/a.git"));
    inStore("refs", "a").failsWith(1, "not found: a");
    Result found = inStore("verify", "--names");
    assertThat(found.exitCode()).isOne();
    assertThat(found.err()).isEqualTo("jgit-s3: names: 1 thing is wrong\n");
    assertThat(found.out())
        .startsWith("names/a.git: the repository ")
        .endsWith("; see verify --names --repair\n");
    JsonNode repaired = inStore("verify", "--names", "--repair", "--json").json();
    assertThat(repaired.get("ok").asBoolean()).isTrue();
    assertThat(repaired.get("findings").get(0).get("repaired").asBoolean()).isTrue();
    inStore("refs", "a").succeeds();
    inStore("verify", "--names").succeeds();
    inStore("verify", "a", "--repair").failsWith(2, "--repair: goes with --names");
  }

  /** The later one has the name; the earlier one was copied before it left the name. */
  private String makeTwoOfOneName() throws IOException {
    inStore("init", "a").succeeds();
    String earlier = idOf("a");
    byte[] copy = Files.readAllBytes(manifestOf(earlier));
    inStore("delete", "a").succeeds();
    inStore("init", "a").succeeds();
    Files.write(manifestOf(earlier), copy);
    return earlier;
  }

  @Test
  void of_two_repositories_of_one_name_one_is_renamed_by_its_id() throws IOException {
    String earlier = makeTwoOfOneName();
    String later = idOf("a");
    Result found = inStore("verify", "--names", "--repair");
    assertThat(found.err()).isEqualTo("jgit-s3: names: 1 thing is wrong\n");
    assertThat(found.out())
        .contains(earlier, later, "both say the name a", "rename --id", "delete --id");
    inStore("rename", "--id", earlier, "a").failsWith(1, "choose another name");
    assertThat(inStore("rename", "--id", earlier, "b").succeeds().out())
        .isEqualTo("Renamed repository " + earlier + " to b\n");
    inStore("verify", "--names").succeeds();
    assertThat(idOf("a")).isEqualTo(later);
    assertThat(idOf("b")).isEqualTo(earlier);
    inStore("rename", "--id", earlier, "b", "c").failsWith(2, "--id: goes with one name");
    inStore("rename", "b").failsWith(2, "two names are needed");
    inStore("rename", "--id", "x", "b").failsWith(2, "--id x: an id of a repository has 32");
    inStore("rename", "--id", "0".repeat(32), "b").failsWith(1, "no repository of the id 000");
  }

  @Test
  void of_two_repositories_of_one_name_one_is_deleted_by_its_id() throws IOException {
    String earlier = makeTwoOfOneName();
    String later = idOf("a");
    assertThat(inStore("delete", "--id", earlier).succeeds().out())
        .isEqualTo("Deleted repository " + earlier + "\n");
    inStore("verify", "--names").succeeds();
    assertThat(idOf("a")).isEqualTo(later);
    inStore("delete", "--id", earlier).failsWith(1, "no repository of the id " + earlier);
    inStore("delete", "--id", later, "a").failsWith(2);
    inStore("delete", "--id", later, "--detach").failsWith(2, "--detach: goes with a name");
  }

  @Test
  void complete_import_without_a_name_gets_one_by_its_id() throws Exception {
    String id;
    try (S3RepositoryManager manager = TestRepositories.manager(dir.resolve("store"));
        S3Repository made = manager.imports().create(false)) {
      id = made.manifest().repositoryId();
    }
    assertThat(inStore("list").succeeds().out()).isEmpty();
    inStore("rename", "--id", id, "a").succeeds();
    assertThat(idOf("a")).isEqualTo(id);
  }

  private static final String[][] USES = {
    {"refs", "a"},
    {"stats", "a"},
    {"gc", "a"},
    {"verify", "a"},
    {"sweep", "a"},
    {"delete", "a"},
    {"rename", "a", "c"},
    {"init", "a"}
  };

  @ParameterizedTest
  @ValueSource(strings = {"truncated", "garbage", "empty", "newer", "flipped"})
  void manifest_that_cannot_be_read_is_named_and_left_as_it_is(String damage) throws IOException {
    inStore("init", "a").succeeds();
    Path manifest = manifestOf(idOf("a"));
    Files.write(manifest, damaged(damage, Files.readAllBytes(manifest)));
    Map<Path, String> before = objects();
    for (String[] use : USES) {
      inStore(use).failsWith(1, dir.resolve("store").relativize(manifest).toString());
    }
    assertThat(objects()).isEqualTo(before);
  }

  private static byte[] damaged(String how, byte[] manifest) {
    return switch (how) {
      case "truncated" -> Arrays.copyOf(manifest, manifest.length / 2);
      case "garbage" -> "\u0000\u0001 this is no manifest".getBytes(UTF_8);
      case "empty" -> new byte[0];
      case "newer" -> "{\"format\": 999, \"new\": true}\n".getBytes(UTF_8);
      case "flipped" -> {
        byte[] flipped = manifest.clone();
        flipped[flipped.length / 3] ^= 1;
        yield flipped;
      }
      default -> throw new IllegalArgumentException(how);
    };
  }

  @Test
  void all_repositories_are_verified_or_those_that_changed() throws IOException {
    inStore("init", "a").succeeds();
    inStore("init", "b").succeeds();
    assertThat(inStore("verify", "--all", "--changed").succeeds().out())
        .contains("a is sound", "b is sound");
    inStore("init", "c").succeeds();
    assertThat(inStore("verify", "--all", "--changed").succeeds().out())
        .contains("c is sound")
        .doesNotContain("a is sound", "b is sound");
    assertThat(inStore("verify", "--all", "--changed").succeeds().out()).isEmpty();
    assertThat(inStore("verify", "--all", "--json").succeeds().json())
        .map(row -> row.get("name").asText())
        .containsExactlyInAnyOrder("a", "b", "c");
    inStore("verify", "a", "--changed").failsWith(2, "--changed: goes with --all");
  }

  @Test
  void all_repositories_are_swept_or_those_in_which_something_may_be_left() throws IOException {
    inStore("init", "a").succeeds();
    inStore("init", "b").succeeds();
    String deleted = "repository " + idOf("b");
    inStore("delete", "b").succeeds();
    assertThat(inStore("sweep", "--all", "--json").succeeds().json())
        .map(row -> row.get("name").asText())
        .containsExactlyInAnyOrder("a", deleted);
    assertThat(inStore("sweep", "--all", "--json").succeeds().json())
        .map(row -> row.get("name").asText())
        .containsExactly(deleted); // the grace period is not over
    assertThat(inStore("sweep", "--all", "--full", "--json").succeeds().json()).hasSize(2);
    inStore("sweep", "--all", "--grace-hours", "0").succeeds();
    assertThat(inStore("sweep", "--all", "--json").succeeds().json()).isEmpty();
    assertThat(inStore("sweep", "--all").succeeds().out()).isEmpty();
    Path state = dir.resolve("store/scan/sweep");
    Files.write(state, Files.readAllBytes(manifestOf(idOf("a"))));
    inStore("sweep", "--all").failsWith(1, "scan/sweep: is no scan state of jgit-s3; delete it");
  }

  /** Pushes a commit to a branch of its own, which leaves one pack. */
  private void push(String name, String branch) throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(dir.resolve("store"));
        S3Repository r = manager.openRepository(name)) {
      TestRepositories.createRef(r, "refs/heads/" + branch, TestRepositories.commit(r, branch));
    }
  }

  private Map<Path, String> stored() throws IOException {
    return StoredFiles.below(dir.resolve("store"), file -> true).stream()
        .collect(Collectors.toMap(Function.identity(), JgitS3Test::content));
  }

  /** What is stored, without the lock files of the directory. */
  private Map<Path, String> objects() throws IOException {
    Map<Path, String> objects = new HashMap<>(stored());
    objects.keySet().removeIf(file -> file.toString().contains("/.jgit-s3/"));
    return objects;
  }

  private static String content(Path file) {
    return Unchecked.call(() -> Files.readString(file, ISO_8859_1));
  }

  @Test
  void collection_is_planned_without_a_change_and_silent_with_nothing_to_do() throws Exception {
    inStore("init", "a").succeeds();
    inStore("init", "empty").succeeds();
    push("a", "main");
    push("a", "other");
    Map<Path, String> before = stored();
    assertThat(inStore("gc", "--all", "--dry-run").succeeds().out())
        .matches("a: would repack 2 packs, [0-9]+ bytes\n");
    assertThat(inStore("gc", "--dry-run", "a", "--json").succeeds().json().get(0).get("packs"))
        .hasToString("2");
    assertThat(stored()).isEqualTo(before);
    assertThat(inStore("gc", "--all").succeeds().out())
        .matches("a: 1 pack, [0-9]+ bytes, of 2 packs, [0-9]+ bytes\n");
    assertThat(inStore("gc", "--dry-run", "a").succeeds().out()).isEmpty();
    assertThat(inStore("gc", "a").succeeds().out()).isEmpty();
    inStore("gc", "--dry-run", "--force", "a").failsWith(2, "--dry-run");
    inStore("gc", "--dry-run", "none").failsWith(1, "none");
  }

  @Test
  void state_of_passes_that_is_damaged_is_one_line_and_kept() throws IOException {
    inStore("init", "a").succeeds();
    assertThat(inStore("gc", "--all", "--json").succeeds().json()).hasSize(1);
    assertThat(inStore("gc", "--all", "--json").succeeds().json()).isEmpty();
    assertThat(inStore("gc", "--all", "--full", "--json").succeeds().json()).hasSize(1);
    assertThat(inStore("gc", "--all", "--full").succeeds().out()).as("nothing to do").isEmpty();
    Path state = dir.resolve("store/scan/gc");
    byte[] damaged = "damaged".getBytes(UTF_8);
    Files.write(state, damaged);
    inStore("gc", "--all")
        .failsWith(
            1, "scan/gc: is no scan state of jgit-s3; delete it for a pass over all repositories");
    assertThat(Files.readAllBytes(state)).isEqualTo(damaged);
  }

  @Test
  void what_cannot_be_done_is_one_line_and_exits_with_1() {
    inStore("init", "a").succeeds();
    inStore("init", "b").succeeds();
    inStore("init", "a").failsWith(1, "a");
    inStore("refs", "none").failsWith(1, "none");
    inStore("stats", "none").failsWith(1, "none");
    inStore("delete", "none").failsWith(1, "none");
    inStore("verify", "none").failsWith(1, "none");
    inStore("sweep", "none").failsWith(1, "none");
    inStore("gc", "none").failsWith(1, "none");
    inStore("rename", "none", "c").failsWith(1, "none");
    inStore("rename", "a", "b").failsWith(1, "b");
    assertThat(inStore("list").succeeds().out().lines()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void directory_that_is_a_file_is_named() throws IOException {
    Path file = Files.writeString(dir.resolve("file"), "mine");
    Result.of("--store", "file:" + file, "init", "a").failsWith(1, file.toString());
    assertThat(file).hasContent("mine");
  }

  @Test
  void configuration_of_a_repository_is_shown_and_changed() throws IOException {
    inStore("init", "a").succeeds();
    assertThat(inStore("config", "a").succeeds().out().lines())
        .containsExactlyInAnyOrder("core.bare=true", "core.repositoryformatversion=0");
    inStore("config", "a", "gc.pruneExpire", "never").succeeds();
    inStore("config", "a", "receive.fsck.missingEmail", "ignore").succeeds();
    assertThat(inStore("config", "a", "GC.pruneexpire").succeeds().out().lines())
        .containsExactly("never");
    assertThat(inStore("config", "a", "--json", "receive.fsck.missingEmail").json())
        .map(row -> row.get("key").asText() + "=" + row.get("value").asText())
        .containsExactly("receive.fsck.missingemail=ignore");
    inStore("config", "a", "gc.pruneExpire", "now").succeeds();
    assertThat(inStore("config", "a").succeeds().out()).contains("gc.pruneexpire=now\n");
    inStore("config", "a", "--unset", "gc.pruneExpire").succeeds();
    inStore("config", "a", "gc.pruneExpire").failsWith(1, "a has no gc.pruneexpire");
    assertThat(inStore("config", "a").succeeds().out()).doesNotContain("prune");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "config a nodot value",
        "config a .x value",
        "config a gc. value",
        "config a core.bare false",
        "config a Core.repositoryFormatVersion 1",
        "config a extensions.objectFormat sha256",
        "config a --unset",
        "config a --unset gc.auto 1"
      })
  void what_a_repository_cannot_have_in_its_configuration_is_wrong_usage(String args)
      throws IOException {
    inStore("init", "a").succeeds();
    String before = inStore("config", "a").succeeds().out();
    inStore(args.split(" ")).failsWith(2);
    assertThat(inStore("config", "a").succeeds().out()).isEqualTo(before);
    inStore("config", "none").failsWith(1, "none");
  }

  @Test
  void stats_tell_what_a_repository_is_made_of() throws IOException {
    inStore("init", "a").succeeds();
    JsonNode stats = inStore("stats", "a", "--json").json();
    assertThat(stats.get("name").asText()).isEqualTo("a");
    assertThat(stats.get("generation").asLong()).isPositive();
    assertThat(stats.get("manifestBytes").asLong()).isPositive();
    assertThat(stats.get("refs").asInt()).isZero();
    assertThat(stats.get("packs").asInt()).isZero();
    assertThat(inStore("stats", "a").succeeds().out()).contains("generation", "log");
  }

  @Holds(
      "GcCommand, SharedRefs: `gc --refs` and `S3RefDatabase.compact` leave one table of refs, or "
          + "fail. A process that holds the refs writes it beside a damaged one.")
  @Test
  void gc_writes_all_refs_as_one_table_only_if_told_to() throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(dir.resolve("store"));
        S3Repository r = manager.createRepository("a")) {
      ObjectId id = TestRepositories.commit(r, "first");
      BatchRefUpdate batch = r.getRefDatabase().newBatchUpdate();
      for (int i = 0; i < RefFold.FEW; i++) {
        batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), id, "refs/changes/" + i));
      }
      TestRepositories.execute(r, batch);
      TestRepositories.createRef(r, "refs/heads/main", id);
      Folds.fold(r);
    }
    assertThat(inStore("stats", "a", "--json").json().get("recentRefs").asInt()).isEqualTo(1);
    inStore("gc", "--all").succeeds();
    assertThat(inStore("stats", "a", "--json").json().get("recentRefs").asInt()).isEqualTo(1);
    assertThat(inStore("gc", "--all", "--refs").succeeds().out())
        .as("up to date, all the same")
        .contains("a: refs written as one table");
    JsonNode stats = inStore("stats", "a", "--json").json();
    assertThat(stats.get("recentRefs").asInt()).isZero();
    assertThat(stats.get("snapshotRefs").asInt()).isEqualTo(RefFold.FEW + 1);
    assertThat(inStore("gc", "--refs", "a").succeeds().out()).isEmpty();
    assertThat(inStore("gc", "--refs", "a", "--json").json().get(0).get("written").asBoolean())
        .isFalse();
    inStore("gc", "--refs", "--force", "a").failsWith(2, "--refs");
  }

  @Test
  void history_of_a_repository_without_refs_is_empty() throws IOException {
    inStore("init", "a").succeeds();
    assertThat(inStore("log", "a").succeeds().out()).isEmpty();
    assertThat(inStore("log", "a", "--json").succeeds().out()).isEmpty();
    assertThat(inStore("reflog", "a", "HEAD", "--json").json()).isEmpty();
    inStore("reflog", "a", "refs/heads/none").failsWith(1, "refs/heads/none", "a");
    JsonNode plan = inStore("restore-refs", "a", "--at", "1", "--json").json();
    assertThat(plan.get("ok").asBoolean()).isTrue();
    assertThat(plan.get("changes")).isEmpty();
  }

  @Test
  void generations_there_were_not_are_refused_and_nothing_is_restored() throws IOException {
    inStore("init", "a").succeeds();
    Map<Path, String> before = objects();
    inStore("log", "none").failsWith(1, "none");
    inStore("log", "none", "--follow").failsWith(1, "none");
    inStore("reflog", "none", "HEAD").failsWith(1, "none");
    inStore("restore-refs", "none", "--at", "1").failsWith(1, "none");
    inStore("log", "a", "--since", "99").failsWith(1, "generation 99", "in the future");
    inStore("restore-refs", "a", "--at", "99").failsWith(1, "generation 99", "in the future");
    inStore("restore-refs", "a", "--at", "99", "--apply").failsWith(1, "generation 99");
    inStore("restore-refs", "a", "--at", "0", "--apply").failsWith(1, "generation 0");
    inStore("restore-refs", "a", "--at", "-1").failsWith(1, "generation -1");
    assertThat(objects()).isEqualTo(before);
  }

  @Test
  void a_copy_of_a_manifest_is_restored() throws IOException {
    inStore("init", "a").succeeds();
    Path copy = Files.copy(manifestOf(idOf("a")), dir.resolve("copy"));
    inStore("delete", "a").succeeds();
    inStore("restore", "a", copy.toString()).failsWith(1, "a");
    inStore("init", "a").succeeds();
    JsonNode plan = inStore("restore", "a", copy.toString(), "--json").json();
    assertThat(plan.get("applied").asBoolean()).isFalse();
    assertThat(plan.get("packs").asInt()).isZero();
    assertThat(plan.get("changes")).isEmpty();
    assertThat(inStore("restore", "a", copy.toString(), "--apply").succeeds().out())
        .isEqualTo("Restored 0 refs and 0 packs, 0 bytes, of generation 1\n");
    String missing = dir.resolve("missing").toString();
    inStore("restore", "a", missing).failsWith(1, missing, "no such file");
    Path damaged = Files.writeString(dir.resolve("damaged"), "{}");
    inStore("restore", "a", damaged.toString()).failsWith(1, damaged.toString());
  }

  @Test
  void doctor_names_each_capability_of_the_store() throws IOException {
    JsonNode diagnosis = inStore("doctor", "--json").json();
    assertThat(diagnosis.get("ok").asBoolean()).isTrue();
    assertThat(diagnosis.get("store").asText()).contains(dir.toString());
    assertThat(diagnosis.get("checks")).isNotEmpty();
    assertThat(diagnosis.get("unfinishedUploads")).isEmpty();
    assertThat(inStore("doctor").succeeds().out())
        .contains("ok ", "0 unfinished uploads")
        .doesNotContain("FAILED", "If-Match of a PUT");
    assertThat(diagnosis.get("dialect").isNull()).isTrue();
  }

  @Test
  void server_that_others_could_reach_is_refused_before_the_store_is_touched() {
    inStore("serve", "--listen", "0.0.0.0:0").failsWith(2, "--users", "--anonymous");
    assertThat(dir.resolve("store")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing", "file"})
  void directory_for_large_pushes_that_cannot_be_used_is_named(String name) throws IOException {
    Files.createFile(dir.resolve("file"));
    Path spills = dir.resolve(name);
    Path config =
        Files.writeString(
            dir.resolve("config"), "[s3 \"receive\"]\n\tspillDirectory = " + spills + "\n");
    String why = "[s3 \"receive\"] spillDirectory " + spills + ": no directory";
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      inStore("--config", config.toString(), "serve", "--listen", address).failsWith(2, why);
    }
    assertThat(dir.resolve("store")).doesNotExist();
    inStore("--config", config.toString(), "doctor").exits(2, why);
  }

  @Test
  void users_file_that_cannot_be_used_is_named_with_its_line() throws IOException {
    Path users = Files.writeString(dir.resolve("users"), "ada:{SHA}x\n");
    inStore("serve", "--users", users.toString()).failsWith(2, users + ":1", "bcrypt");
    String missing = dir.resolve("missing").toString();
    inStore("serve", "--users", missing).failsWith(2, missing);
  }

  @Test
  void port_in_use_is_a_failure() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      inStore("serve", "--listen", address).failsWith(1, "cannot listen on " + address);
    }
  }

  @Test
  void demo_reports_each_step_with_its_requests_and_leaves_nothing_behind() throws IOException {
    JsonNode report = inStore("demo", "--json", "--refs", "500").json();
    assertThat(report.get("ok").asBoolean()).isTrue();
    assertThat(report.get("seconds").asDouble()).isPositive();
    assertThat(report.get("steps")).hasSizeGreaterThan(8);
    assertThat(report.get("steps").findValuesAsText("name"))
        .contains("git push", "git clone", "create 500 refs in one batch");
    JsonNode push = report.get("steps").get(1);
    assertThat(push.get("millis").asLong()).isPositive();
    assertThat(push.get("requests").get("PUT_IF").asLong()).isPositive();

    assertThat(inStore("list").succeeds().out()).isEmpty();
    try (Stream<Path> files = Files.walk(dir.resolve("store"))) {
      assertThat(files.filter(Files::isRegularFile).map(Path::toString))
          .noneMatch(file -> file.contains("/objects/"));
    }
  }

  @Test
  void what_a_terminal_would_obey_is_not_printed_and_escaped_in_json() throws Exception {
    // CSI, which begins a command as ESC [ does, right-to-left override, and a line separator
    String odd = "\u009b31mred\u202egnp\u2028x";
    String ref = "refs/heads/" + odd;
    GitClient git = GitClient.in(dir);
    git.run("init", "-q", "-b", "main", odd);
    GitClient source = git.at(odd);
    String head = source.commitFile("file", "content\n");
    source.run(
        in -> in.write(("create " + ref + " " + head + "\n").getBytes(UTF_8)),
        "update-ref",
        "--stdin");
    String path = source.directory().toString();
    String shown = odd.replaceAll("[\u009b\u202e\u2028]", " ");
    String imported = inStore("import", path, "r").succeeds().out();
    assertThat(imported).contains(shown).doesNotContainPattern(UNPRINTABLE);
    for (String[] command :
        new String[][] {
          {"refs", "r"}, {"log", "r"}, {"reflog", "r", ref}, {"reflog", "r", "main"}
        }) {
      assertThat(inStore(command).succeeds().out())
          .contains(shown)
          .doesNotContainPattern(UNPRINTABLE);
      String[] asJson = Arrays.copyOf(command, command.length + 1);
      asJson[command.length] = "--json";
      Result json = inStore(asJson);
      assertThat(json.out()).contains("\\u009b31mred\\u202e").doesNotContainPattern(UNPRINTABLE);
      assertThat(json.json().toString()).contains(odd);
    }
    long now = inStore("log", "r", "--json").json().get("generation").asLong();
    assertThat(inStore("restore-refs", "r", "--at", Long.toString(now - 1)).succeeds().out())
        .contains(shown)
        .doesNotContainPattern(UNPRINTABLE);
    Result none = inStore("reflog", "r", odd + "none").failsWith(1, shown + "none");
    assertThat(none.err()).doesNotContainPattern(UNPRINTABLE);
  }
}

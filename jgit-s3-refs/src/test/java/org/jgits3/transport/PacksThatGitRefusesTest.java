// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.jgit.errors.UnpackException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.aid.GitRequests;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pushes the same packs into a repository of the store and to {@code git receive-pack}. */
@Holds(
    "PackCheck, PushParser, CheckedPackStream, StoredPackParser: A pack that Git "
        + "refuses is not received, imported or exported, and a verification finds it")
@Holds("ObjectFaults: A commit, tag or tree that only Git's fsck finds malformed is refused, too")
class PacksThatGitRefusesTest {
  private static final byte[] KNOWN =
      "a blob that both repositories have\n".repeat(8).getBytes(UTF_8);

  private static final byte[] OTHER = "a blob of the pack\n".getBytes(UTF_8);

  @TempDir Path directory;
  private ObjectChecker checker = new ObjectChecker();
  private GitClient git;
  @AutoClose private S3RepositoryManager manager;

  @BeforeEach
  void make_two_repositories() throws Exception {
    git = GitClient.in(directory.resolve("git"));
    git.run("init", "-q", "--bare", "r.git");
    GitClient bare = git.at("r.git");
    bare.run("config", "receive.fsckObjects", "true");
    bare.run("config", "receive.unpackLimit", "1");
    bare.run(stdin -> stdin.write(KNOWN), "hash-object", "-w", "--stdin");
    bare.run("hash-object", "-w", "-t", "tree", "/dev/null");
    manager = TestRepositories.manager(directory.resolve("store"));
    for (String name : List.of("r", "collected")) {
      try (S3Repository repository = manager.createRepository(name)) {
        ObjectId blob = TestRepositories.blob(repository, KNOWN);
        ObjectId tree = TestRepositories.insert(repository, to -> to.insert(new TreeFormatter()));
        TestRepositories.createRef(repository, "refs/tags/blob", blob);
        TestRepositories.createRef(repository, "refs/tags/tree", tree);
      }
    }
    manager.maintenance("collected").repack(NullProgressMonitor.INSTANCE);
  }

  private static boolean isAccepted(String report, String ref) {
    return report.contains("unpack ok") && report.contains("ok " + ref);
  }

  private String pushToGit(String ref, ObjectId tip, byte[] pack) {
    return git.attempt(
            stdin -> stdin.write(GitRequests.push(ObjectId.zeroId(), tip, ref, pack)),
            "receive-pack",
            "--stateless-rpc",
            "r.git")
        .toString();
  }

  private String push(String ref, ObjectId tip, byte[] pack) throws IOException {
    return push("r", ref, tip, pack);
  }

  private String push(String name, String ref, ObjectId tip, byte[] pack) throws IOException {
    byte[] request = GitRequests.push(ObjectId.zeroId(), tip, ref, pack);
    ByteArrayOutputStream report = new ByteArrayOutputStream();
    try (S3Repository repository = manager.openRepository(name, Purpose.push())) {
      S3ReceivePack service = new S3ReceivePack(repository);
      service.setBiDirectionalPipe(false);
      service.setObjectChecker(checker);
      service.receive(new ByteArrayInputStream(request), report, null);
    } catch (UnpackException refused) {
      assertThat(report.toString(UTF_8)).contains("unpack error");
    }
    return report.toString(UTF_8);
  }

  @Test
  void pack_that_git_refuses_is_refused() {
    Map<RandomPack.Kind, Integer> accepted = new TreeMap<>();
    RandomSeed.forEach(
        RandomSeed.count(500, 6_000),
        seed -> {
          RandomPack pack = new RandomPack(seed, KNOWN);
          String ref = "refs/heads/" + seed;
          String name = seed % 2 == 0 ? "r" : "collected";
          if (!isAccepted(push(name, ref, pack.commit(), pack.bytes()), ref)) {
            return;
          }
          pack.kinds().forEach(kind -> accepted.merge(kind, 1, Integer::sum));
          if (!pack.hasUnreachableTree()) {
            assertGitAccepts(pack, ref, pack.commit(), pack.bytes());
            return;
          }
          String later = ref + "-later";
          ObjectId leading = ForgedPack.id(Constants.OBJ_COMMIT, pack.commitOfTree());
          if (isAccepted(push(name, later, leading, pack.packOfTree()), later)) {
            assertGitAccepts(pack, later, leading, pack.packOfTree());
          }
        });
    assertThat(accepted).containsKey(RandomPack.Kind.DELTA);
  }

  private void assertGitAccepts(RandomPack pack, String ref, ObjectId tip, byte[] bytes) {
    assertThat(pushToGit(ref, tip, bytes))
        .as("%s", pack.kinds())
        .contains("unpack ok")
        .contains("ok " + ref);
  }

  private void isRefused(byte[] pack, String why) throws IOException {
    String ref = "refs/heads/main";
    ObjectId tip = ObjectId.fromString("1".repeat(40));
    assertThat(pushToGit(ref, tip, pack)).doesNotContain("unpack ok");
    assertThat(push(ref, tip, pack)).contains(why);
  }

  private static byte[] commit(ObjectId tree) {
    String who = "A U Thor <author@example.com> 1700000000 +0000\n";
    return ("tree " + tree.name() + "\nauthor " + who + "committer " + who + "\nm\n")
        .getBytes(UTF_8);
  }

  @Test
  void tree_that_nothing_leads_to_is_checked_once_a_commit_does() throws Exception {
    ObjectId empty = ForgedPack.id(Constants.OBJ_TREE, new byte[0]);
    byte[] tree = TestRepositories.tree("b", FileMode.REGULAR_FILE, empty).toByteArray();
    byte[] sound = commit(empty);
    byte[] pack =
        new ForgedPack(3)
            .object(Constants.OBJ_COMMIT, sound)
            .object(Constants.OBJ_TREE, new byte[0])
            .object(Constants.OBJ_TREE, tree)
            .closed();
    String one = "refs/heads/one";
    assertThat(isAccepted(push(one, ForgedPack.id(Constants.OBJ_COMMIT, sound), pack), one))
        .isTrue();
    byte[] later = commit(ForgedPack.id(Constants.OBJ_TREE, tree));
    String two = "refs/heads/two";
    byte[] leading = new ForgedPack(1).object(Constants.OBJ_COMMIT, later).closed();
    String report = push(two, ForgedPack.id(Constants.OBJ_COMMIT, later), leading);
    assertThat(isAccepted(report, two)).as(report).isFalse();
  }

  @Test
  void delta_that_makes_less_than_it_declares_is_refused() throws Exception {
    byte[] short43 = ForgedPack.delta(KNOWN.length, 600, ForgedPack.insert(new byte[43]));
    isRefused(
        new ForgedPack(1).delta(ForgedPack.id(Constants.OBJ_BLOB, KNOWN), short43).closed(),
        "object 1 of the pack, at byte 12, is a delta that makes 43 of the 600 bytes that it"
            + " declares");
  }

  @Test
  void delta_without_base_is_refused_beside_one_with_its_in_the_repository() throws Exception {
    byte[] delta = ForgedPack.delta(KNOWN.length, 9, ForgedPack.insert(new byte[9]));
    isRefused(
        new ForgedPack(2)
            .delta(ForgedPack.id(Constants.OBJ_BLOB, KNOWN), delta)
            .delta(13, delta)
            .closed(),
        "the pack has 1 deltas without a base");
  }

  @Test
  void branch_to_a_blob_is_refused() throws Exception {
    byte[] blob = new byte[9];
    ObjectId id = ForgedPack.id(Constants.OBJ_BLOB, blob);
    byte[] pack = new ForgedPack(1).object(Constants.OBJ_BLOB, blob).closed();
    String ref = "refs/heads/main";
    String why =
        "cannot update ref 'refs/heads/main': trying to write non-commit object "
            + id.name()
            + " to branch 'refs/heads/main'";
    assertThat(pushToGit(ref, id, pack)).contains(why);
    assertThat(push(ref, id, pack)).contains("ng refs/heads/main " + why);
    String tag = "refs/tags/v1";
    assertThat(isAccepted(pushToGit(tag, id, pack), tag)).isTrue();
    assertThat(isAccepted(push(tag, id, pack), tag)).isTrue();
  }

  @Test
  void object_that_a_pack_has_twice_is_refused() throws Exception {
    isRefused(
        new ForgedPack(2)
            .object(Constants.OBJ_BLOB, new byte[9])
            .object(Constants.OBJ_BLOB, new byte[9])
            .closed(),
        "the pack has it twice");
  }

  private static String commit(String author) {
    return "tree "
        + ForgedPack.id(Constants.OBJ_TREE, new byte[0]).name()
        + "\nauthor "
        + author
        + "\ncommitter A <a@example.com> 1 +0000\n\nmessage\n";
  }

  static Stream<Arguments> commits() {
    String mail = " <a@example.com> ";
    return Stream.of(
        Arguments.of("missingEmail", commit("<a@example.com> 1 +0000"), "has no name"),
        Arguments.of("missingEmail", commit("A>" + mail + "1 +0000"), "has a name with '>'"),
        Arguments.of("badDate", commit("A" + mail + "01 +0000"), "a date that begins with 0"),
        Arguments.of("badDate", commit("A" + mail + (1L << 62) + "0 +0000"), "more than 63 bits"),
        Arguments.of("badTimezone", commit("A" + mail + "1 +051800"), "not four digits"),
        Arguments.of("", commit("A\0" + mail + "1 +0000"), "has a NUL byte in the header"),
        Arguments.of("", commit("A" + mail + "1 +0000") + "\0", "has a NUL byte in the message"));
  }

  @ParameterizedTest
  @MethodSource("commits")
  void commit_that_only_git_finds_malformed_is_refused(String fault, String commit, String why)
      throws Exception {
    byte[] bytes = commit.getBytes(UTF_8);
    ObjectId id = ForgedPack.id(Constants.OBJ_COMMIT, bytes);
    byte[] pack = new ForgedPack(1).object(Constants.OBJ_COMMIT, bytes).closed();
    String ref = "refs/heads/main";
    assertThat(pushToGit(ref, id, pack)).doesNotContain("unpack ok");
    assertThat(push(ref, id, pack)).contains("unpack error " + fault, id.name(), why);
    checker = new ObjectChecker().setSkipList(id::equals);
    assertThat(isAccepted(push(ref, id, pack), ref)).isTrue();
  }

  private static String tag(String type, String tagger) {
    ObjectId known = ForgedPack.id(Constants.OBJ_BLOB, KNOWN);
    return String.join(
        "\n", "object " + known.name(), "type " + type, "tag v1", "tagger " + tagger, "", "m", "");
  }

  static Stream<Arguments> tags() {
    String mail = " <a@example.com> ";
    return Stream.of(
        Arguments.of("", tag("file", "A" + mail + "1 +0000"), "has an unknown type"),
        Arguments.of("", tag("blob", "A\0" + mail + "1 +0000"), "has a NUL byte in the header"),
        Arguments.of("missingEmail", tag("blob", "A>" + mail + "1 +0000"), "a name with '>'"),
        Arguments.of("badDate", tag("blob", "A" + mail + "01 +0000"), "begins with 0"),
        Arguments.of("badTimezone", tag("blob", "A" + mail + "1 +051800"), "not four digits"));
  }

  @ParameterizedTest
  @MethodSource("tags")
  void tag_that_only_git_finds_malformed_is_refused(String fault, String tag, String why)
      throws Exception {
    byte[] bytes = tag.getBytes(UTF_8);
    ObjectId id = ForgedPack.id(Constants.OBJ_TAG, bytes);
    byte[] pack = new ForgedPack(1).object(Constants.OBJ_TAG, bytes).closed();
    String ref = "refs/tags/v1";
    assertThat(pushToGit(ref, id, pack)).doesNotContain("unpack ok");
    assertThat(push(ref, id, pack)).contains("unpack error " + fault, id.name(), why);
  }

  @Test
  void fault_that_the_configuration_ignores_is_accepted() throws Exception {
    byte[] commit = commit("A <a@example.com> 1 +051800").getBytes(UTF_8);
    ObjectId id = ForgedPack.id(Constants.OBJ_COMMIT, commit);
    byte[] pack = new ForgedPack(1).object(Constants.OBJ_COMMIT, commit).closed();
    checker = new ObjectChecker().setIgnore(ObjectChecker.ErrorType.BAD_DATE, true);
    assertThat(push("refs/heads/main", id, pack)).contains("unpack error badTimezone");
    checker = new ObjectChecker().setIgnore(ObjectChecker.ErrorType.BAD_TIMEZONE, true);
    assertThat(isAccepted(push("refs/heads/main", id, pack), "refs/heads/main")).isTrue();
  }

  /** A pack of a tree, a commit of it, and the blob and the tree that it may name. */
  private void isRefusedWithEntry(FileMode mode, ObjectId named, String why) throws Exception {
    byte[] root = TestRepositories.tree("a", mode, named).toByteArray();
    byte[] commit =
        commit("A <a@example.com> 1 +0000")
            .replaceFirst("tree .*", "tree " + ForgedPack.id(Constants.OBJ_TREE, root).name())
            .getBytes(UTF_8);
    ObjectId tip = ForgedPack.id(Constants.OBJ_COMMIT, commit);
    byte[] pack =
        new ForgedPack(4)
            .object(Constants.OBJ_COMMIT, commit)
            .object(Constants.OBJ_TREE, root)
            .object(Constants.OBJ_BLOB, OTHER)
            .object(Constants.OBJ_TREE, other())
            .closed();
    String ref = "refs/heads/main";
    assertThat(pushToGit(ref, tip, pack)).doesNotContain("unpack ok");
    for (String name : List.of("r", "collected")) {
      assertThat(push(name, ref, tip, pack)).contains("unpack error", named.name(), why);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".GIT ",
        "git~1.",
        "GIT~1 .",
        ".g\u200cit",
        ".git::$INDEX_ALLOCATION",
        "x\\.git",
        "git~1 .:x"
      })
  void name_that_a_file_system_takes_for_git_is_refused(String name) throws Exception {
    isRefusedNamed(name, FileMode.REGULAR_FILE, OTHER, "hasDotgit", "hasDotgit");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".gitmodules",
        "GITMOD~1",
        "gitmod~4.",
        "gi7eba~9 ",
        ".gitmodules .",
        "gitmod~1:x"
      })
  void link_that_a_file_system_takes_for_gitmodules_is_refused(String name) throws Exception {
    isRefusedNamed(name, FileMode.SYMLINK, OTHER, "gitmodulesSymlink", "gitmodulesSymlink");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {".gitmodules", ".GITMODULES", "gitmod~1", ".gitm\u200codules", "gi7eba~1 "})
  void file_that_a_file_system_takes_for_gitmodules_is_checked(String name) throws Exception {
    byte[] modules =
        "[submodule \"a/../../b\"]\npath = b\nurl = https://example.com/b\n".getBytes(UTF_8);
    isRefusedNamed(name, FileMode.REGULAR_FILE, modules, "gitmodulesName", "Invalid name");
  }

  private void isRefusedNamed(String name, FileMode mode, byte[] blob, String git, String why)
      throws Exception {
    ObjectId id = ForgedPack.id(Constants.OBJ_BLOB, blob);
    byte[] root = TestRepositories.tree(name, mode, id).toByteArray();
    byte[] commit = commit(ForgedPack.id(Constants.OBJ_TREE, root));
    ObjectId tip = ForgedPack.id(Constants.OBJ_COMMIT, commit);
    byte[] pack =
        new ForgedPack(3)
            .object(Constants.OBJ_COMMIT, commit)
            .object(Constants.OBJ_TREE, root)
            .object(Constants.OBJ_BLOB, blob)
            .closed();
    assertThat(pushToGit("refs/heads/main", tip, pack)).contains(git).doesNotContain("unpack ok");
    assertThat(push("refs/heads/main", tip, pack)).contains("unpack error " + why);
  }

  private static byte[] other() {
    ObjectId blob = ForgedPack.id(Constants.OBJ_BLOB, OTHER);
    return TestRepositories.tree("other", FileMode.REGULAR_FILE, blob).toByteArray();
  }

  @Holds(
      "TreeCheck, Connectivity, Blobs, ReachableObjects, CheckedPackStream: An object has the "
          + "type that commits, tags and trees say, or the push, import or export is refused")
  @Test
  void tree_that_names_an_object_of_another_type_is_refused() throws Exception {
    for (byte[] tree : List.of(new byte[0], other())) {
      ObjectId id = ForgedPack.id(Constants.OBJ_TREE, tree);
      isRefusedWithEntry(FileMode.REGULAR_FILE, id, "is not a blob");
      isRefusedWithEntry(FileMode.SYMLINK, id, "is not a blob");
    }
    for (byte[] blob : List.of(KNOWN, OTHER)) {
      ObjectId id = ForgedPack.id(Constants.OBJ_BLOB, blob);
      isRefusedWithEntry(FileMode.TREE, id, "is not a tree");
    }
  }
}

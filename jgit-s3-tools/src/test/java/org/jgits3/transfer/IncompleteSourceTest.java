// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources that lack an object, of whatever type, become no repository. */
class IncompleteSourceTest {
  @TempDir private Path scratch;
  private GitClient git;
  private GitClient source;
  @AutoClose private S3RepositoryManager manager;

  @BeforeEach
  void create() throws Exception {
    git = GitClient.in(scratch);
    source = git.init("source");
    source.commitFile("directory/a.txt", "first\n");
    source.commitFile("directory/b.txt", "second\n");
    source.run("tag", "-a", "-m", "tag", "tag");
    manager = TestRepositories.manager(new MemoryObjectStore());
  }

  private void isRefused(String location, String... because) throws IOException {
    try (ImportSource opened = ImportSource.open(location)) {
      assertThatThrownBy(
              () ->
                  new Importer(manager, NullProgressMonitor.INSTANCE)
                      .run(opened, new RepositoryName("r")))
          .isInstanceOf(IOException.class)
          .satisfies(e -> assertThat(e.getMessage()).contains(because).doesNotContain("\n"));
    }
    assertThat(manager.list()).isEmpty();
  }

  /** A bundle of all refs, whose pack lacks one object. */
  private Path bundleWithout(String id) throws IOException {
    String objects =
        source
            .run("rev-list", "--objects", "--no-object-names", "--all")
            .lines()
            .filter(line -> !line.equals(id))
            .collect(Collectors.joining("\n", "", "\n"));
    String pack = source.run(in -> in.write(objects.getBytes(UTF_8)), "pack-objects", "-q", "p");
    Path bundle = scratch.resolve("without-" + id + ".bundle");
    try (OutputStream out = Files.newOutputStream(bundle)) {
      String refs = source.run("for-each-ref", "--format=%(objectname) %(refname)");
      out.write(("# v2 git bundle\n" + refs.strip() + "\n\n").getBytes(UTF_8));
      Files.copy(source.directory().resolve("p-" + pack.strip() + ".pack"), out);
    }
    return bundle;
  }

  @Test
  void whatever_object_a_bundle_lacks_it_is_refused_and_nothing_is_left() throws Exception {
    String all = source.run("rev-list", "--objects", "--no-object-names", "--all");
    for (String id : all.lines().toList()) {
      isRefused(bundleWithout(id).toString(), id, "is not whole");
    }
  }

  /** Makes a branch with a tree that names a tree as a file; returns that. */
  private String branchToOddTree() throws IOException {
    String tree = source.run("rev-parse", "HEAD:directory").strip();
    TreeFormatter odd = new TreeFormatter();
    odd.append("a", FileMode.REGULAR_FILE, ObjectId.fromString(tree));
    String root =
        source
            .run(
                in -> in.write(odd.toByteArray()),
                "hash-object",
                "-w",
                "-t",
                "tree",
                "--literally",
                "--stdin")
            .strip();
    String commit = source.run("commit-tree", "-m", "odd", root).strip();
    source.run("update-ref", "refs/heads/odd", commit);
    source.run("update-ref", "refs/heads/main", commit);
    source.run("tag", "-d", "tag");
    return tree;
  }

  @Test
  void shallow_repository_is_refused_however_it_is_read() throws Exception {
    source.commitFile("directory/a.txt", "third\n");
    String url = source.directory().toUri().toString();
    git.run("clone", "-q", "--bare", "--depth", "1", url, "shallow");
    isRefused(scratch.resolve("shallow").toString(), "is shallow", "git fetch --unshallow");
    try (GitDaemon daemon = new GitDaemon(scratch, false)) {
      isRefused(daemon.url("shallow"), "shallow"); // as JGit says it
    }
  }

  @Test
  void bundle_with_a_tree_that_names_a_tree_as_a_file_is_refused() throws Exception {
    String tree = branchToOddTree();
    isRefused(bundleWithout("").toString(), tree, "is not a blob");
  }

  /** Puts all objects into one pack, in which Git computes deltas. */
  private void packAll() throws IOException {
    String all =
        source.run("cat-file", "--batch-all-objects", "--batch-check=%(objectname)") + "\n";
    source.run(in -> in.write(all.getBytes(UTF_8)), "pack-objects", "-q", ".git/objects/pack/pack");
    source.run("prune-packed", "-q");
  }

  @Test
  void directory_with_a_tree_that_names_a_tree_as_a_file_is_refused() throws Exception {
    String tree = branchToOddTree();
    isRefused(source.directory().toString(), tree, "is not a blob", "See git fsck");
    packAll();
    isRefused(
        source.directory().toString(),
        "is no blob with its id, as another object says; see git fsck");
  }

  @Test
  void directory_whose_tree_is_a_delta_and_named_as_a_file_is_refused() throws Exception {
    for (int i = 0; i < 100; i++) {
      Files.writeString(source.directory().resolve("directory/file-" + i), "" + i);
    }
    source.run("add", ".");
    source.run("commit", "-q", "-m", "many");
    source.run("tag", "many");
    String large = source.run("rev-parse", "HEAD:directory").strip();
    source.run("rm", "-q", "directory/file-50");
    source.run("commit", "-q", "-m", "fewer");
    String named = branchToOddTree();
    packAll();
    String base =
        source.run(
            in -> in.write((named + "\n").getBytes(UTF_8)),
            "cat-file",
            "--batch-check=%(deltabase)");
    assertThat(base.strip()).isEqualTo(large);
    isRefused(
        source.directory().toString(),
        "the pack has 8 objects of type tree, and other objects name 7; see git fsck");
  }

  @Test
  void a_partial_clone_that_lacks_an_object_is_refused_by_name() throws Exception {
    source.run("config", "uploadpack.allowFilter", "true");
    git.run(
        "clone", "-q", "--bare", "--filter=blob:none", "file://" + source.directory(), "partial");
    isRefused(git.at("partial").directory().toString(), "is missing", "it is a partial clone");
  }

  @Test
  void branch_that_points_to_no_commit_is_refused_by_name() throws Exception {
    source.run("pack-refs", "--all");
    String tree = source.run("rev-parse", "HEAD^{tree}");
    Path refs = source.directory().resolve(".git/packed-refs");
    String main = source.run("rev-parse", "refs/heads/main");
    String bad = Files.readString(refs).replace(main + " refs/heads", tree + " refs/heads");
    Files.writeString(refs, bad);
    isRefused(
        source.directory().toString(), "refs/heads/main points to " + tree, "which is no commit");
  }
}

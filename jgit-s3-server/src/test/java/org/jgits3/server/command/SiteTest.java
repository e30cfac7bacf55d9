// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All repositories of a site, into the store and out of it. */
class SiteTest {
  @TempDir private Path dir;
  private GitClient git;
  private Path site;

  private Result run(String... args) {
    Stream<String> store = Stream.of("--store", "file:" + dir.resolve("store"));
    return Result.of(Stream.concat(store, Stream.of(args)).toArray(String[]::new));
  }

  @BeforeEach
  void makeSite() throws Exception {
    git = GitClient.in(dir);
    site = Files.createDirectories(dir.resolve("git"));
    for (String name : new String[] {"All-Projects", "tools/p"}) {
      git.run("init", "-q", "--bare", site.resolve(name + ".git").toString());
      commit(name, "first");
    }
  }

  private void commit(String project, String message) {
    String id = newCommit(project, message);
    in(project, "update-ref", "refs/heads/" + message, id);
    in(project, "update-ref", "refs/meta/config", id);
  }

  private String newCommit(String project, String message) {
    String tree = in(project, "hash-object", "-w", "-t", "tree", "/dev/null").strip();
    return in(project, "commit-tree", "-m", message, tree).strip();
  }

  private String in(String project, String... command) {
    Stream<String> repository = Stream.of("--git-dir", site.resolve(project + ".git").toString());
    return git.run(Stream.concat(repository, Stream.of(command)).toArray(String[]::new));
  }

  private void updates(String... outcomes) {
    run("import-site", site.toString(), "--update").exits(0, outcomes);
  }

  /** Exports the store once the site was imported. */
  private Path exported() {
    run("import-site", site.toString());
    Path back = dir.resolve("back");
    run("export-site", back.toString()).exits(0);
    return back;
  }

  /** Copies the site to the store, and the store to the export. */
  private void returns(Path back) throws Exception {
    updates("tools/p: updated");
    updates("tools/p: equal");
    run("export-site", back.toString(), "--update")
        .exits(0, "All-Projects: equal", "tools/p: updated");
    isAsInTheSite(back.resolve("tools/p.git"));
    assertThat(run("export-site", back.toString()).said()).contains("0 updated, 2 equal");
  }

  private void isAsInTheSite(Path exported) throws Exception {
    assertThat(refs(exported)).isEqualTo(refs(site.resolve("tools/p.git")));
    String head = Files.readString(site.resolve("tools/p.git/HEAD"));
    assertThat(exported.resolve("HEAD")).hasContent(head);
    git.run("--git-dir", exported.toString(), "fsck", "--strict", "--connectivity-only");
    git.run("--git-dir", exported.toString(), "fsck", "--strict");
  }

  private void failsAndChangesNothing(String because) {
    String before = run("refs", "tools/p").said();
    run("import-site", site.toString(), "--update").exits(1, "tools/p: failed", because);
    assertThat(run("refs", "tools/p").said()).isEqualTo(before).contains("refs/heads/first");
  }

  private String refs(Path repository) throws Exception {
    return git.run("--git-dir", repository.toString(), "for-each-ref");
  }

  @Test
  void dry_run_says_what_would_be_imported_and_imports_nothing() {
    run("import-site", site.toString(), "--dry-run")
        .exits(0, "tools/p: imported", "Nothing was done: 2 projects");
    assertThat(run("list").said()).isEmpty();
  }

  @Test
  void second_pass_copies_changes_and_the_export_gives_the_same_refs() throws Exception {
    run("import-site", site.toString()).exits(0);
    assertThat(run("list").said().lines()).containsExactlyInAnyOrder("All-Projects", "tools/p");

    commit("tools/p", "second");
    git.run(
        "--git-dir",
        site.resolve("tools/p.git").toString(),
        "update-ref",
        "-d",
        "refs/heads/first");
    run("import-site", site.toString())
        .exits(1, "All-Projects: equal", "tools/p: failed", "--update");
    run("import-site", site.toString(), "--update")
        .exits(0, "All-Projects: equal", "tools/p: updated");

    Path back = dir.resolve("back");
    run("export-site", back.toString()).exits(0);
    for (String name : new String[] {"All-Projects", "tools/p"}) {
      Path exported = back.resolve(name + ".git");
      assertThat(refs(exported)).isEqualTo(refs(site.resolve(name + ".git")));
      git.run("--git-dir", exported.toString(), "fsck", "--strict");
    }
    assertThat(run("export-site", back.toString()).said())
        .contains("0 exported, 0 updated, 2 equal, 0 not in store, 0 failed");
  }

  @Test
  void ref_that_can_no_longer_be_read_is_not_set_back_to_its_packed_value() throws Exception {
    in("tools/p", "pack-refs", "--all");
    in("tools/p", "update-ref", "refs/heads/first", newCommit("tools/p", "later"));
    run("import-site", site.toString());
    Files.writeString(site.resolve("tools/p.git/refs/heads/first"), "garbage\n");
    failsAndChangesNothing("refs/heads/first");
  }

  @Test
  void ref_to_a_missing_object_changes_nothing_in_the_store() throws Exception {
    run("import-site", site.toString());
    commit("tools/p", "second");
    Files.writeString(site.resolve("tools/p.git/refs/heads/first"), "1".repeat(40) + "\n");
    failsAndChangesNothing("tools/p.git: ");
  }

  @Test
  void refs_that_the_source_hides_from_clients_are_copied_and_not_deleted() {
    run("import-site", site.toString());
    in("tools/p", "config", "uploadpack.hideRefs", "refs/meta/");
    commit("tools/p", "second");
    updates("tools/p: updated");
    updates("tools/p: equal");

    in("tools/p", "update-ref", "refs/meta/config", newCommit("tools/p", "hidden"));
    updates("tools/p: updated");
    updates("tools/p: equal");
  }

  @Test
  void one_repository_that_is_damaged_does_not_stop_the_others() throws Exception {
    Files.writeString(site.resolve("All-Projects.git/refs/heads/lost"), "1".repeat(40) + "\n");
    run("import-site", site.toString()).exits(1, "All-Projects: failed", "tools/p: imported");
    assertThat(run("list").said()).isEqualToIgnoringNewLines("tools/p");
  }

  @Test
  void repository_behind_a_symbolic_link_is_imported() throws Exception {
    Path elsewhere = Files.move(site.resolve("tools/p.git"), dir.resolve("other-disk"));
    Files.createSymbolicLink(site.resolve("tools/p.git"), elsewhere);
    Files.createSymbolicLink(site.resolve("again"), site);
    run("import-site", site.toString())
        .exits(1, "tools/p: imported", "again: failed: ", "above it");
  }

  @Test
  void directory_named_as_a_repository_that_is_none_is_reported() throws Exception {
    Files.writeString(site.resolve("All-Projects.git/HEAD"), "");
    Files.createSymbolicLink(site.resolve("gone.git"), dir.resolve("no-such-disk"));
    run("import-site", site.toString())
        .exits(1, "All-Projects: failed: ", "gone: failed: ", "tools/p: imported");
  }

  @Test
  void two_directories_of_one_name_are_both_left_out_and_named() {
    git.run("init", "-q", "--bare", site.resolve("tools/p").toString());
    git.run("init", "-q", "--bare", site.resolve("tools/p/below.git").toString());
    run("import-site", site.toString())
        .exits(1, "tools/p: failed: ", "tools/p.git and ", "tools/p/below: imported");
  }

  @Test
  void name_that_ends_in_git_twice_is_no_other_name() {
    run("import-site", site.toString());
    String before = run("refs", "tools/p").said();
    git.run("init", "-q", "--bare", site.resolve("tools/p.git.git").toString());
    run("import-site", site.toString(), "--update")
        .exits(1, "tools/p.git: failed: ", "tools/p: equal");
    assertThat(run("refs", "tools/p").said()).isEqualTo(before);
  }

  @Test
  void site_may_itself_be_named_as_a_repository() throws Exception {
    Path named = Files.move(site, dir.resolve("site.git"));
    run("import-site", named.toString()).exits(0, "2 projects, 2 imported");
  }

  @Test
  void damaged_repository_does_not_stop_the_export_of_the_others() throws Exception {
    run("import", site.resolve("All-Projects.git").toString(), "All-Projects");
    Path pack = onlyBundle();
    byte[] bytes = Files.readAllBytes(pack);
    bytes[bytes.length / 2] ^= 1;
    Files.write(pack, bytes);
    run("import", site.resolve("tools/p.git").toString(), "tools/p");
    Path back = Files.createDirectories(dir.resolve("back"));
    Files.writeString(Files.createDirectories(back.resolve("tools/p.git")).resolve("x"), "x");
    run("export-site", back.toString()).exits(1, "All-Projects: failed: ", "tools/p: failed: ");

    Files.delete(back.resolve("tools/p.git/x"));
    run("export-site", back.toString()).exits(1, "All-Projects: failed: ", "tools/p: exported");
    assertThat(refs(back.resolve("tools/p.git"))).isEqualTo(refs(site.resolve("tools/p.git")));
  }

  private Path onlyBundle() throws Exception {
    return StoredFiles.only(dir.resolve("store"), ".bundle");
  }

  @Test
  void repeated_export_names_what_differs_and_overwrites_nothing() throws Exception {
    Path back = exported();
    String before = refs(back.resolve("tools/p.git"));
    commit("tools/p", "second");
    updates("tools/p: updated");
    run("export-site", back.toString())
        .exits(1, "All-Projects: equal", "tools/p: failed: ", "has other refs", "--update");
    assertThat(refs(back.resolve("tools/p.git"))).isEqualTo(before);
  }

  @Test
  void update_of_an_export_creates_forces_and_deletes_refs() throws Exception {
    Path back = exported();
    commit("tools/p", "second");
    commit("tools/p", "third");
    returns(back);

    in("tools/p", "update-ref", "-d", "refs/heads/first");
    returns(back);

    in("tools/p", "update-ref", "refs/heads/second", newCommit("tools/p", "forced"));
    in("tools/p", "update-ref", "refs/heads/third", newCommit("tools/p", "first"));
    in("tools/p", "update-ref", "refs/heads/fourth", newCommit("tools/p", "fourth"));
    in("tools/p", "tag", "-a", "-m", "one", "v1", "refs/heads/fourth");
    in("tools/p", "update-ref", "-d", "refs/meta/config");
    returns(back);
  }

  @Test
  void update_of_an_export_sets_a_ref_back_to_objects_that_are_there() throws Exception {
    Path back = exported();
    String first = in("tools/p", "rev-parse", "refs/heads/first").strip();
    in("tools/p", "update-ref", "refs/heads/first", newCommit("tools/p", "other"));
    returns(back);
    in("tools/p", "update-ref", "refs/heads/first", first);
    returns(back);
  }

  @Test
  void update_of_an_export_follows_head() throws Exception {
    Path back = exported();
    in("tools/p", "symbolic-ref", "HEAD", "refs/heads/first");
    returns(back);
    in("tools/p", "update-ref", "--no-deref", "HEAD", newCommit("tools/p", "detached"));
    returns(back);
    in("tools/p", "update-ref", "--no-deref", "HEAD", newCommit("tools/p", "again"));
    returns(back);
    in("tools/p", "symbolic-ref", "HEAD", "refs/heads/unborn");
    returns(back);
  }

  @Test
  void update_of_an_export_takes_symbolic_refs_and_names_that_others_had() throws Exception {
    Path back = exported();
    in("tools/p", "symbolic-ref", "refs/heads/alias", "refs/heads/first");
    returns(back);
    in("tools/p", "symbolic-ref", "refs/heads/alias", "refs/meta/config");
    returns(back);
    in("tools/p", "symbolic-ref", "--delete", "refs/heads/alias");
    commit("tools/p", "alias");
    returns(back);
    in("tools/p", "update-ref", "-d", "refs/heads/alias");
    in("tools/p", "symbolic-ref", "refs/heads/alias/of", "refs/heads/first");
    returns(back);
    in("tools/p", "symbolic-ref", "--delete", "refs/heads/alias/of");
    commit("tools/p", "alias");
    commit("tools/p", "deep/er");
    returns(back);
    in("tools/p", "update-ref", "-d", "refs/heads/deep/er");
    commit("tools/p", "deep");
    returns(back);
  }

  @Test
  void update_writes_to_the_old_directory_of_a_site_as_well() throws Exception {
    run("import-site", site.toString());
    Path old = Files.move(site, dir.resolve("old"));
    Files.createDirectories(site.resolve("tools"));
    for (String name : new String[] {"All-Projects.git", "tools/p.git"}) {
      git.run("clone", "-q", "--mirror", old.resolve(name).toString(), site + "/" + name);
    }
    in("tools/p", "update-ref", "refs/heads/first", newCommit("tools/p", "later"));
    updates("tools/p: updated");
    git.run("--git-dir", old.resolve("tools/p.git").toString(), "pack-refs", "--all");
    run("export-site", old.toString(), "--update")
        .exits(0, "All-Projects: equal", "tools/p: updated");
    isAsInTheSite(old.resolve("tools/p.git"));
  }

  @Test
  void update_that_was_killed_before_it_moved_refs_is_repeated() throws Exception {
    Path back = exported();
    Path exported = back.resolve("tools/p.git");
    String before = Files.readString(exported.resolve("packed-refs"));
    commit("tools/p", "second");
    returns(back);
    // as before the refs moved, and before the index was renamed
    Files.writeString(exported.resolve("packed-refs"), before);
    Result repeated = run("export-site", back.toString(), "--update");
    assertThat(repeated.said()).contains("tools/p: updated");
    isAsInTheSite(exported);
    Files.writeString(exported.resolve("packed-refs"), before);
    for (Path index : newest(exported, ".idx")) {
      Files.delete(index);
    }
    assertThat(run("export-site", back.toString()).exitCode()).isEqualTo(1);
    run("export-site", back.toString(), "--update");
    isAsInTheSite(exported);
  }

  @Test
  void repositories_that_the_store_no_longer_has_are_named_and_stay() throws Exception {
    Path back = exported();
    run("rename", "tools/p", "tools/q").exits(0);
    run("delete", "All-Projects").exits(0);
    run("export-site", back.toString(), "--update")
        .exits(0, "tools/q: exported", "tools/p: not in store", "All-Projects: not in store")
        .contains("1 exported, 0 updated, 0 equal, 2 not in store, 0 failed");
    isAsInTheSite(back.resolve("tools/p.git"));
    isAsInTheSite(back.resolve("tools/q.git"));
  }

  @Test
  void what_is_no_repository_is_not_written_to() throws Exception {
    run("import-site", site.toString());
    Path back = Files.createDirectories(dir.resolve("back/tools/p.git")).getParent().getParent();
    Path file = Files.writeString(back.resolve("tools/p.git/x"), "x");
    Path other = Files.writeString(back.resolve("All-Projects.git"), "x");
    for (String[] options : new String[][] {{}, {"--update"}}) {
      run(Stream.concat(Stream.of("export-site", back.toString()), Stream.of(options))
              .toArray(String[]::new))
          .exits(1, "All-Projects: failed: ", "is not a directory")
          .contains("tools/p: failed: ", "is not empty", "2 failed");
      assertThat(file).hasContent("x");
      assertThat(other).hasContent("x");
    }
    run("export-site", file.toString(), "--update").exits(1);
  }

  @Test
  void update_of_an_export_by_a_damaged_or_shallow_repository_does_nothing() throws Exception {
    Path back = exported();
    Path exported = back.resolve("tools/p.git");
    commit("tools/p", "second");
    updates("tools/p: updated");
    Path damaged = Files.writeString(exported.resolve("refs/heads/x"), "garbage\n");
    String packed = Files.readString(exported.resolve("packed-refs"));
    run("export-site", back.toString(), "--update").exits(1, "tools/p: failed: ", "refs/heads/x");

    Files.delete(damaged);
    String first = in("tools/p", "rev-parse", "refs/heads/first").strip();
    Path shallow = Files.writeString(exported.resolve("shallow"), first + "\n");
    run("export-site", back.toString(), "--update").exits(1, "tools/p: failed: ", "shallow");
    assertThat(exported.resolve("packed-refs")).hasContent(packed);

    Files.delete(shallow);
    run("export-site", back.toString(), "--update").exits(0);
    isAsInTheSite(exported);
  }

  private static List<Path> newest(Path repository, String suffix) throws Exception {
    try (Stream<Path> files = Files.list(repository.resolve("objects/pack"))) {
      Comparator<Path> byTime = Comparator.comparingLong(file -> file.toFile().lastModified());
      return files.filter(file -> file.toString().endsWith(suffix)).max(byTime).stream().toList();
    }
  }

  @Test
  void directory_without_repositories_is_an_error() {
    run("import-site", dir.resolve("store").toString()).exits(1);
    run("import-site", site.resolve("tools").resolve("none").toString()).exits(1);
  }
}

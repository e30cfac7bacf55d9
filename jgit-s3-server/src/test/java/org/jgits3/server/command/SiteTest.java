// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** All repositories of a site, into the store and out of it. */
class SiteTest {
  @TempDir private Path dir;
  private GitClient git;
  private Path site;

  /** Output and exit code of a command. */
  private record Result(int exitCode, String out) {}

  private Result run(String... args) {
    StringWriter out = new StringWriter();
    CommandLine line = JgitS3.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(out));
    Stream<String> store = Stream.of("--store", "file:" + dir.resolve("store"));
    int code = line.execute(Stream.concat(store, Stream.of(args)).toArray(String[]::new));
    return new Result(code, out.toString());
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
    Result updated = run("import-site", site.toString(), "--update");
    assertThat(updated.exitCode()).as(updated.out()).isZero();
    assertThat(updated.out()).contains(outcomes);
  }

  private void failsAndChangesNothing(String because) {
    String before = run("refs", "tools/p").out();
    Result failed = run("import-site", site.toString(), "--update");
    assertThat(failed.exitCode()).as(failed.out()).isEqualTo(1);
    assertThat(failed.out()).contains("tools/p: failed", because);
    assertThat(run("refs", "tools/p").out()).isEqualTo(before).contains("refs/heads/first");
  }

  private String refs(Path repository) throws Exception {
    return git.run("--git-dir", repository.toString(), "for-each-ref");
  }

  @Test
  void dry_run_says_what_would_be_imported_and_imports_nothing() {
    Result result = run("import-site", site.toString(), "--dry-run");
    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains("tools/p: imported", "Nothing was done: 2 projects");
    assertThat(run("list").out()).isEmpty();
  }

  @Test
  void second_pass_copies_what_has_changed_and_the_way_out_gives_the_same_refs() throws Exception {
    assertThat(run("import-site", site.toString()).exitCode()).isZero();
    assertThat(run("list").out()).isEqualToIgnoringNewLines("All-Projectstools/p");

    commit("tools/p", "second");
    git.run(
        "--git-dir",
        site.resolve("tools/p.git").toString(),
        "update-ref",
        "-d",
        "refs/heads/first");
    Result refused = run("import-site", site.toString());
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.out()).contains("All-Projects: equal", "tools/p: failed", "--update");
    Result updated = run("import-site", site.toString(), "--update");
    assertThat(updated.exitCode()).as(updated.out()).isZero();
    assertThat(updated.out()).contains("All-Projects: equal", "tools/p: updated");

    Path back = dir.resolve("back");
    assertThat(run("export-site", back.toString()).exitCode()).isZero();
    for (String name : new String[] {"All-Projects", "tools/p"}) {
      Path exported = back.resolve(name + ".git");
      assertThat(refs(exported)).isEqualTo(refs(site.resolve(name + ".git")));
      git.run("--git-dir", exported.toString(), "fsck", "--strict");
    }
    assertThat(run("export-site", back.toString()).out()).contains("0 exported, 2 there, 0 failed");
  }

  @Test
  void ref_that_can_no_longer_be_read_is_kept_in_the_store() throws Exception {
    run("import-site", site.toString());
    commit("tools/p", "second");
    Files.writeString(site.resolve("tools/p.git/refs/heads/first"), "garbage\n");
    failsAndChangesNothing("refs/heads/first");
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
  void head_that_became_detached_is_detached_in_the_store_and_back() {
    run("import-site", site.toString());
    in("tools/p", "update-ref", "--no-deref", "HEAD", newCommit("tools/p", "detached"));
    updates("tools/p: updated");
    updates("tools/p: equal");
    Path exported = dir.resolve("exported");
    assertThat(run("export", "tools/p", exported.toString()).exitCode()).isZero();
    String head = git.run("--git-dir", exported.toString(), "log", "--format=%s", "HEAD");
    assertThat(head).isEqualTo("detached");
    in("tools/p", "symbolic-ref", "HEAD", "refs/heads/first");
    updates("tools/p: updated");
    updates("tools/p: equal");
  }

  @Test
  void symbolic_refs_come_and_go() {
    run("import-site", site.toString());
    in("tools/p", "symbolic-ref", "refs/heads/alias", "refs/heads/first");
    updates("tools/p: updated");
    in("tools/p", "symbolic-ref", "--delete", "refs/heads/alias");
    commit("tools/p", "alias");
    updates("tools/p: updated");
    in("tools/p", "update-ref", "-d", "refs/heads/alias");
    in("tools/p", "symbolic-ref", "refs/heads/alias/of", "refs/heads/first");
    updates("tools/p: updated");
    in("tools/p", "symbolic-ref", "--delete", "refs/heads/alias/of");
    updates("tools/p: updated");
    updates("tools/p: equal");
  }

  @Test
  void one_repository_that_is_damaged_does_not_stop_the_others() throws Exception {
    Files.writeString(site.resolve("All-Projects.git/refs/heads/lost"), "1".repeat(40) + "\n");
    Result result = run("import-site", site.toString());
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("All-Projects: failed", "tools/p: imported");
    assertThat(run("list").out()).isEqualToIgnoringNewLines("tools/p");
  }

  @Test
  void repository_behind_a_symbolic_link_is_imported() throws Exception {
    Path elsewhere = Files.move(site.resolve("tools/p.git"), dir.resolve("other-disk"));
    Files.createSymbolicLink(site.resolve("tools/p.git"), elsewhere);
    Files.createSymbolicLink(site.resolve("again"), site);
    Result result = run("import-site", site.toString());
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("tools/p: imported", "again: failed: ", "above it");
  }

  @Test
  void directory_that_is_named_as_a_repository_and_is_none_is_not_left_out_in_silence()
      throws Exception {
    Files.writeString(site.resolve("All-Projects.git/HEAD"), "");
    Files.createSymbolicLink(site.resolve("gone.git"), dir.resolve("no-such-disk"));
    Result result = run("import-site", site.toString());
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out())
        .contains("All-Projects: failed: ", "gone: failed: ", "tools/p: imported");
  }

  @Test
  void two_directories_of_one_name_are_both_left_out_and_named() {
    git.run("init", "-q", "--bare", site.resolve("tools/p").toString());
    git.run("init", "-q", "--bare", site.resolve("tools/p/below.git").toString());
    Result result = run("import-site", site.toString());
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out())
        .contains("tools/p: failed: ", "tools/p.git and ", "tools/p/below: imported");
  }

  @Test
  void name_that_ends_in_git_twice_is_no_other_name() {
    run("import-site", site.toString());
    String before = run("refs", "tools/p").out();
    git.run("init", "-q", "--bare", site.resolve("tools/p.git.git").toString());
    Result result = run("import-site", site.toString(), "--update");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("tools/p.git: failed: ", "tools/p: equal");
    assertThat(run("refs", "tools/p").out()).isEqualTo(before);
  }

  @Test
  void site_may_itself_be_named_as_a_repository() throws Exception {
    Path named = Files.move(site, dir.resolve("site.git"));
    Result result = run("import-site", named.toString());
    assertThat(result.exitCode()).as(result.out()).isZero();
    assertThat(result.out()).contains("2 projects, 2 imported");
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
    Result failed = run("export-site", back.toString());
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.out()).contains("All-Projects: failed: ", "tools/p: failed: ");

    Files.delete(back.resolve("tools/p.git/x"));
    Result result = run("export-site", back.toString());
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("All-Projects: failed: ", "tools/p: exported");
    assertThat(refs(back.resolve("tools/p.git"))).isEqualTo(refs(site.resolve("tools/p.git")));
  }

  private Path onlyBundle() throws Exception {
    try (Stream<Path> files = Files.walk(dir.resolve("store"))) {
      return files.filter(file -> file.toString().endsWith(".bundle")).findFirst().orElseThrow();
    }
  }

  @Test
  void directory_without_repositories_is_an_error() {
    assertThat(run("import-site", dir.resolve("store").toString()).exitCode()).isEqualTo(1);
    assertThat(run("import-site", site.resolve("tools").resolve("none").toString()).exitCode())
        .isEqualTo(1);
  }
}

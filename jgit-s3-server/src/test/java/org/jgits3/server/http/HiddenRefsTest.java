// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitResult;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.GitRequests;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of {@code hideRefs} with the real Git. */
@Holds(
    "S3ReceivePack: A push neither updates nor deletes a hidden ref, nor learns whether it exists")
@Holds(
    "S3UploadPack, VisibleWants: An object that only hidden refs lead to is not sent by id, "
        + "unless the configuration allows it")
class HiddenRefsTest {
  @TempDir Path directory;
  @TempDir Path scratch;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private GitHttpServer server;
  private GitClient work;
  private String main;
  private String change;

  @BeforeEach
  void serve() throws Exception {
    manager = TestRepositories.manager(directory, "[init]\ndefaultBranch = main");
    manager.createRepository("r").close();
    server = GitHttpServer.builder().start(manager);
    GitClient git = GitClient.in(scratch);
    git.run("clone", "-q", server.uri() + "r.git", "work");
    work = git.at("work");
    main = work.commitFile("file", "first");
    work.run("push", "-q", "origin", "HEAD:refs/heads/main");
    change = work.commitFile("file", "of a change");
    work.run("push", "-q", "origin", "HEAD:refs/changes/01/1/1");
    git.run("init", "-q", "other");
  }

  private void hide(String section, String... rules) throws Exception {
    try (S3Repository r = manager.openRepository("r")) {
      StoredConfig config = r.getConfig();
      config.setStringList(section, null, "hideRefs", List.of(rules));
      config.save();
    }
  }

  private void set(String section, String key) throws Exception {
    try (S3Repository r = manager.openRepository("r")) {
      TestRepositories.configure(r, section, key, "true");
    }
  }

  private GitResult fetch(String version, String wanted) {
    return work.at("../other")
        .attempt("-c", "protocol.version=" + version, "fetch", server.uri() + "r.git", wanted);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void hidden_refs_are_not_listed(String version) throws Exception {
    hide("transfer", "refs/changes", "!refs/changes/02");
    work.run("push", "-q", "origin", "HEAD:refs/changes/02/2/1");
    assertThat(work.run("-c", "protocol.version=" + version, "ls-remote", "origin"))
        .contains("refs/heads/main", "refs/changes/02/2/1")
        .doesNotContain("refs/changes/01");
  }

  @Test
  void each_service_has_rules_of_its_own() throws Exception {
    hide("receive", "refs/changes");
    assertThat(work.run("ls-remote", "origin")).contains("refs/changes/01/1/1");
    assertThat(work.attempt("push", "origin", ":refs/changes/01/1/1").stderr())
        .contains("deny deleting a hidden ref");
    hide("receive");
    hide("uploadpack", "refs/changes");
    assertThat(work.run("ls-remote", "origin")).doesNotContain("refs/changes");
    work.run("push", "-q", "origin", ":refs/changes/01/1/1");
  }

  @Test
  void push_to_a_hidden_ref_is_refused_as_git_does() throws Exception {
    hide("transfer", "refs/changes");
    for (String ref : List.of("refs/changes/01/1/1", "refs/changes/none")) {
      GitResult push = work.attempt("push", "origin", "-f", "HEAD~1:" + ref);
      assertThat(push.exitCode()).isNotZero();
      assertThat(push.stderr()).contains("deny updating a hidden ref");
    }
    assertThat(refs()).contains(change + " refs/changes/01/1/1").doesNotContain("none");
  }

  @Test
  void deletion_of_a_hidden_ref_is_refused_whether_it_exists_or_not() throws Exception {
    hide("receive", "refs/changes");
    for (String ref : List.of("refs/changes/01/1/1", "refs/changes/none")) {
      String answer = send(change + " " + "0".repeat(40) + " " + ref);
      assertThat(answer).contains("ng " + ref + " deny deleting a hidden ref");
    }
    assertThat(refs()).contains("refs/changes/01/1/1");
  }

  @Test
  void deletion_of_a_hidden_ref_is_refused_where_deletions_are_denied() throws Exception {
    hide("receive", "refs/changes");
    set("receive", "denyDeletes");
    String hidden = "refs/changes/01/1/1";
    assertThat(send(change + " " + "0".repeat(40) + " " + hidden))
        .contains("unpack ok", "ng " + hidden + " deny deleting a hidden ref");
    String none = "refs/heads/none";
    assertThat(send(change + " " + "0".repeat(40) + " " + none))
        .contains("unpack ok", "ng " + none + " deletion prohibited");
    assertThat(refs()).contains(hidden);
  }

  @Test
  void hidden_ref_is_not_changed_through_a_symbolic_ref_that_is_shown() throws Exception {
    link("refs/heads/alias", "refs/changes/01/1/1");
    link("refs/heads/alias-of-none", "refs/changes/none");
    hide("receive", "refs/changes");
    assertThat(work.attempt("push", "origin", ":refs/heads/alias").stderr())
        .contains("deny deleting a hidden ref");
    for (String alias : List.of("refs/heads/alias", "refs/heads/alias-of-none")) {
      assertThat(work.attempt("push", "origin", "-f", "HEAD~1:" + alias).stderr())
          .contains("deny updating a hidden ref");
    }
    assertThat(refs())
        .contains(change + " refs/changes/01/1/1", change + " refs/heads/alias")
        .doesNotContain("none");
    hide("receive");
    work.run("push", "-q", "origin", "-f", "HEAD~1:refs/heads/alias");
    assertThat(refs()).contains(main + " refs/changes/01/1/1");
  }

  private void link(String name, String target) throws IOException {
    try (S3Repository r = manager.openRepository("r")) {
      assertThat(r.updateRef(name).link(target)).isEqualTo(RefUpdate.Result.NEW);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void hidden_tag_of_a_commit_is_not_sent_with_it(String version) throws Exception {
    work.run("tag", "-a", "-m", "shown", "v1", main);
    work.run("tag", "-a", "-m", "hidden", "secret", main);
    work.run("push", "-q", "origin", "v1", "secret");
    String secret = work.run("rev-parse", "refs/tags/secret");
    GitClient before = fetchBranches("before", version);
    assertThat(before.run("tag").lines()).containsExactly("secret", "v1");
    hide("uploadpack", "refs/tags/secret");
    GitClient after = fetchBranches("after", version);
    assertThat(after.run("tag")).isEqualTo("v1");
    assertThat(after.attempt("cat-file", "-t", secret).exitCode()).isNotZero();
  }

  /** Fetches the branches, and the tags of their commits, to a new repository. */
  private GitClient fetchBranches(String name, String version) throws IOException {
    GitClient.in(scratch).run("init", "-q", name);
    GitClient git = work.at("../" + name);
    git.run("remote", "add", "origin", server.uri() + "r.git");
    git.run("-c", "protocol.version=" + version, "fetch", "-q", "origin");
    return git;
  }

  /** Sends a command that git would not send, since it does not see the ref. */
  private String send(String command) throws Exception {
    byte[] body = GitRequests.of(out -> out.writeString(command + "\0 report-status"));
    return TestRequests.post(server.uri(), "r.git/git-receive-pack", body).body();
  }

  @Test
  void atomic_push_with_a_hidden_ref_changes_nothing() throws Exception {
    hide("transfer", "refs/changes");
    GitResult push =
        work.attempt(
            "push", "--atomic", "origin", "HEAD:refs/heads/new", "HEAD:refs/changes/03/3/1");
    assertThat(push.exitCode()).isNotZero();
    assertThat(refs()).doesNotContain("refs/heads/new").doesNotContain("refs/changes/03");
    assertThat(
            work.attempt("push", "origin", "HEAD:refs/heads/new", "HEAD:refs/changes/03/3/1")
                .exitCode())
        .isNotZero();
    assertThat(refs()).contains("refs/heads/new").doesNotContain("refs/changes/03");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void hidden_object_cannot_be_wanted(String version) throws Exception {
    hide("transfer", "refs/changes");
    GitResult fetch = fetch(version, change);
    assertThat(fetch.exitCode()).isNotZero();
    assertThat(fetch(version, "refs/changes/01/1/1").exitCode()).isNotZero();
    assertThat(fetch(version, main).exitCode()).isZero();
    assertThat(fetch(version, "main").exitCode()).isZero();
  }

  @Test
  void hidden_object_that_is_wanted_all_the_same_is_not_ours() throws Exception {
    hide("uploadpack", "refs/changes");
    assertThat(fetch("2", change).stderr()).contains("upload-pack: not our ref " + change);
  }

  @ParameterizedTest
  @ValueSource(strings = {"allowTipSHA1InWant", "allowAnySHA1InWant"})
  void hidden_tip_can_be_wanted_where_the_configuration_says_so(String key) throws Exception {
    hide("uploadpack", "refs/changes");
    set("uploadpack", key);
    assertThat(fetch("2", change).exitCode()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void older_commit_of_a_shown_ref_can_be_wanted(String version) throws Exception {
    hide("uploadpack", "refs/changes");
    work.run("push", "-q", "origin", "HEAD:main");
    assertThat(fetch("2", main).exitCode()).isZero();
  }

  @Test
  void push_on_top_of_a_hidden_commit_is_connected() throws Exception {
    hide("transfer", "refs/changes");
    work.run("push", "-q", "origin", "HEAD:refs/heads/visible");
    assertThat(fetch("2", "visible").exitCode()).isZero();
  }

  @Test
  void fetches_of_shallow_histories_and_tags_work_beside_hidden_refs() throws Exception {
    hide("transfer", "refs/changes");
    work.run("tag", "-a", "-m", "one", "v1");
    work.run("push", "-q", "origin", "HEAD:main", "v1");
    for (String version : List.of("0", "2")) {
      String copy = "copy" + version;
      GitClient.in(scratch)
          .run(
              "-c",
              "protocol.version=" + version,
              "clone",
              "-q",
              "--depth=1",
              server.uri() + "r.git",
              copy);
      assertThat(work.at("../" + copy).run("tag", "--points-at", "HEAD")).isEqualTo("v1");
    }
  }

  private String refs() throws IOException {
    StringBuilder refs = new StringBuilder();
    try (S3Repository r = manager.openRepository("r")) {
      for (var ref : r.getRefDatabase().getRefs()) {
        refs.append(ref.getObjectId().name()).append(' ').append(ref.getName()).append('\n');
      }
    }
    return refs.toString();
  }
}

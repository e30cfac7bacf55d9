// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gerrit.entities.Project;
import com.google.gerrit.server.account.storage.notedb.AccountsNoteDbRepoReader;
import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.git.GitRepositoryManager.Status;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.RepositoryCache.FileKey;
import org.eclipse.jgit.util.FS;
import org.jgits3.gerrit.TestSite;
import org.jgits3.testing.Holds;
import org.jgits3.testing.OutageProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.signed.UnsafeProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The start of a Gerrit on its settings, and what it says of wrong ones. */
@Holds("ServerIds: Gerrits with different server ids do not share a store")
class StartTest {
  private static final Project.NameKey PROJECT = Project.nameKey("a");

  @TempDir Path directory;

  private TestSite site(String config) throws Exception {
    return new TestSite(directory, config.replace("DIR", directory.toString()));
  }

  private static void assertWorks(TestSite site) throws Exception {
    S3GitRepositoryManager gerrit = site.manager(GerritRuntime.BATCH);
    try {
      gerrit.createRepository(PROJECT).close();
      assertThat(gerrit.list()).containsExactly(PROJECT);
    } finally {
      gerrit.stop();
    }
  }

  private static void assertRefused(TestSite site, String... said) {
    assertThatThrownBy(() -> site.manager(GerritRuntime.DAEMON).start())
        .isInstanceOf(IllegalStateException.class)
        .message()
        .contains(said)
        .doesNotContain("\n");
  }

  @Test
  void settings_of_gerrit_are_over_those_of_jgit() throws Exception {
    TestSite site =
        site("[s3]\n store = file:DIR/store\n")
            .write("jgit.config", "[s3]\n store = file:/none/x\n[s3 \"refs\"]\n validate = 5 s\n");
    assertWorks(site);
    assertThat(Files.exists(directory.resolve("store"))).isTrue();
  }

  @Test
  void the_store_may_be_set_in_jgit_config_alone() throws Exception {
    assertWorks(site("").write("jgit.config", "[s3]\n store = file:" + directory + "/store\n"));
  }

  @ParameterizedTest
  @CsvSource({"BATCH, true", "DAEMON, false"})
  void all_programs_but_the_daemon_make_the_directory_that_init_looks_for(
      GerritRuntime runtime, boolean made) throws Exception {
    S3GitRepositoryManager gerrit =
        site(" allUsers = Users\n[s3]\n store = file:DIR/store\n").manager(runtime);
    gerrit.start();
    gerrit.stop();
    Path users = directory.resolve("git/Users.git");
    assertThat(FileKey.isGitRepository(users.toFile(), FS.DETECTED)).isEqualTo(made);
    if (made) {
      try (Repository local = new FileRepository(users.toFile())) {
        assertThat(AccountsNoteDbRepoReader.hasAnyAccount(local)).as("init makes none").isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"git/All-Users.git", "git/All-Users.git.unfinished/objects"})
  void what_an_init_that_failed_has_left_is_replaced(String left) throws Exception {
    Files.createDirectories(directory.resolve(left));
    S3GitRepositoryManager gerrit =
        site("[s3]\n store = file:DIR/store\n").manager(GerritRuntime.BATCH);
    gerrit.start();
    gerrit.stop();
    Path users = directory.resolve("git/All-Users.git");
    try (Repository local = new FileRepository(users.toFile())) {
      assertThat(AccountsNoteDbRepoReader.hasAnyAccount(local)).isTrue();
    }
    assertThat(users.resolveSibling("All-Users.git.unfinished")).doesNotExist();
  }

  @Test
  void directory_of_all_users_with_files_is_left_alone() throws Exception {
    Path file = directory.resolve("git/All-Users.git/file");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "text");
    S3GitRepositoryManager gerrit =
        site("[s3]\n store = file:DIR/store\n").manager(GerritRuntime.BATCH);
    gerrit.start();
    gerrit.stop();
    assertThat(file.getParent()).isDirectoryContaining(file::equals);
    assertThat(file.resolveSibling("HEAD")).doesNotExist();
  }

  @Test
  void without_a_store_nothing_is_written_anywhere() throws Exception {
    assertRefused(site("[s3]\n connections = 3\n"), "gerrit.config: [s3] store is not set");
    assertThat(Path.of("data")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [s3]         | stroe = file:x       | unknown key stroe
          [s3]         | accessKeyId = x      | needs both accessKeyId and secretAccessKey
          [s3]         | secretAccessKey = x  | needs both accessKeyId and secretAccessKey
          [s3 "rafs"]  | validate = always    | unknown section
          [s3.refs]    | validate = always    | unknown section
          [s3 "refs"]  | validate = sometimes | validate
          [core "dfs"] | blockSize = 77       | [core "dfs"]
          """)
  void wrong_settings_are_refused(String section, String wrong, String said) throws Exception {
    String config = "[s3]\n store = file:DIR/store\n" + section + "\n " + wrong + "\n";
    assertRefused(site(config), said);
  }

  @Test
  void another_server_id_than_that_of_the_store_is_refused() throws Exception {
    String config = "[s3]\n store = file:DIR/store\n";
    assertWorks(site(config).serverId("first"));
    assertRefused(
        site(config).serverId("second"), "serverId is second", "of the Gerrits on", "is first");
    S3GitRepositoryManager again = site(config).serverId("first").manager(GerritRuntime.DAEMON);
    again.start();
    assertThat(again.list()).containsExactly(PROJECT);
    again.stop();
  }

  @Test
  void wrong_settings_of_jgit_are_refused() throws Exception {
    assertRefused(
        site("[s3]\n store = file:DIR/store\n").write("jgit.config", "[s3]\n accessKeyId = x\n"),
        "unknown key accessKeyId",
        "jgit.config");
  }

  @Test
  void a_bucket_holds_the_projects() throws Exception {
    S3Server server = S3Servers.require();
    assertWorks(site(TestSite.bucket(server.endpoint(), server.newBucket().bucket())));
  }

  @Test
  void a_bucket_that_loses_writes_is_refused() throws Exception {
    S3Server server = S3Servers.require();
    try (UnsafeProxy proxy = new UnsafeProxy(server, UnsafeProxy.Fault.CHECKS_FIRST, 1, 1)) {
      String bucket = server.newBucket().bucket();
      assertRefused(site(TestSite.bucket(proxy.endpoint(), bucket)), bucket, "-race' failed");
    }
  }

  @Test
  void a_store_that_does_not_answer_is_not_an_empty_one() throws Exception {
    S3Server server = S3Servers.require();
    try (OutageProxy proxy = new OutageProxy(server.endpoint())) {
      String config = TestSite.bucket(proxy.endpoint(), server.newBucket().bucket());
      S3GitRepositoryManager gerrit = site(config).manager(GerritRuntime.BATCH);
      gerrit.createRepository(PROJECT).close();
      proxy.fail(Integer.MAX_VALUE);
      Thread.sleep(Requests.OUTSIDE.toMillis());
      assertThatThrownBy(gerrit::list).isInstanceOf(UncheckedIOException.class);
      assertThat(gerrit.getRepositoryStatus(PROJECT)).isEqualTo(Status.UNAVAILABLE);
      proxy.recover();
      assertThat(gerrit.list()).containsExactly(PROJECT);
      gerrit.stop();
    }
  }

  @Test
  void credentials_may_be_in_secure_config() throws Exception {
    S3Server server = S3Servers.require();
    String secure = "[s3]\n accessKeyId = %s\n secretAccessKey = %s\n";
    TestSite site = site(TestSite.bucket(server.endpoint(), server.newBucket().bucket()));
    site.write("secure.config", secure.formatted(server.accessKey(), "wrong"));
    assertRefused(site, "s3://");
    site.write("secure.config", secure.formatted(server.accessKey(), server.secretKey()));
    assertWorks(site);
  }

  @Test
  void a_bucket_that_is_not_there_is_refused() throws Exception {
    S3Server server = S3Servers.require();
    assertRefused(site(TestSite.bucket(server.endpoint(), "no-such-bucket")), "no-such-bucket");
  }
}

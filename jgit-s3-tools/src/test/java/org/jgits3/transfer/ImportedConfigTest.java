// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImportedConfigTest {
  private static final String BARE = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

  @TempDir Path directory;

  private static String moved(String text) throws ConfigInvalidException {
    Config source = new Config();
    source.fromText(text);
    return ImportedConfig.textOf(source);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // commands
        "[core]\n\tfsmonitor = evil\n\thooksPath = /evil\n\tsshCommand = evil",
        "[diff]\n\texternal = evil",
        "[diff \"x\"]\n\ttextconv = evil",
        "[filter \"x\"]\n\tsmudge = evil",
        "[merge \"x\"]\n\tdriver = evil",
        "[tar \"x\"]\n\tcommand = evil",
        "[uploadpack]\n\tpackObjectsHook = evil",
        "[gc]\n\trecentObjectsHook = evil",
        "[interactive]\n\tdiffFilter = evil",
        "[sequence]\n\teditor = evil",
        "[remote \"x\"]\n\tvcs = evil",
        // secrets
        "[github]\n\ttoken = evil",
        "[receive]\n\tcertNonceSeed = evil",
        "[http]\n\textraHeader = evil",
        "[http \"https://example.com\"]\n\treceivepack = evil",
        "# evil",
        "[receive] ; evil",
        // files, machines
        "[fsck]\n\tskipList = evil",
        "[receive \"fsck\"]\n\tskipList = evil",
        "[include]\n\tpath = evil",
        "[extensions]\n\tworktreeConfig = evil",
        // an unknown section
        "[frobnicate]\n\tx = evil"
      })
  void what_is_not_known_to_be_harmless_stays(String text) throws Exception {
    assertThat(moved(text)).isEqualTo(BARE);
  }

  @Test
  void what_is_about_serving_and_packing_moves() throws Exception {
    Config moved = new Config();
    moved.fromText(
        moved(
            """
            [Receive]
              denyDeletes
              DenyNonFastForwards = true
              hideRefs = refs/a
              hideRefs = refs/b
              maxObjectSizeLimit = 17
            [receive "fsck"]
              missingSpaceBeforeDate = ignore
            [http]
              receivePack = true
            [gitweb]
              owner = "Zo\u00eb; # x"
            [pack]
              window = 20
            [core]
              bare = false
            """));
    assertThat(moved.getBoolean("receive", "denydeletes", false)).isTrue();
    assertThat(moved.getBoolean("receive", "denynonfastforwards", false)).isTrue();
    assertThat(moved.getStringList("receive", null, "hiderefs"))
        .containsExactly("refs/a", "refs/b");
    assertThat(moved.getLong("receive", "maxobjectsizelimit", 0)).isEqualTo(17);
    assertThat(moved.getString("receive", "fsck", "missingspacebeforedate")).isEqualTo("ignore");
    assertThat(moved.getBoolean("http", "receivepack", false)).isTrue();
    assertThat(moved.getString("gitweb", null, "owner")).isEqualTo("Zo\u00eb; # x");
    assertThat(moved.getInt("pack", "window", 0)).isEqualTo(20);
    assertThat(moved.getBoolean("core", "bare", false)).isTrue();
  }

  @Test
  void no_command_is_run_by_what_was_imported_and_exported() throws Exception {
    GitClient git = GitClient.in(directory);
    GitClient source = git.init("src");
    source.commitFile("file", "one\n");
    source.commitFile("file", "two\n");
    Path ran = directory.resolve("ran");
    source.run("config", "diff.external", "touch " + ran + "; :");
    source.run("config", "receive.denyDeletes", "true");
    try (S3RepositoryManager manager = TestRepositories.manager(new MemoryObjectStore())) {
      try (ImportSource opened = ImportSource.open(source.directory().toString())) {
        new Importer(manager, NullProgressMonitor.INSTANCE).run(opened, new RepositoryName("r"));
      }
      try (S3Repository repository = manager.openRepository("r")) {
        StoredConfig config = repository.getConfig();
        assertThat(config.getString("diff", null, "external")).isNull();
        config.setString("diff", null, "external", "touch " + ran + "; :"); // as imported before
        config.save();
        new Exporter(NullProgressMonitor.INSTANCE).run(repository, directory.resolve("out"));
      }
    }
    GitClient out = git.at("out");
    assertThat(out.run("diff", "main~1", "main")).contains("+two");
    assertThat(ran).doesNotExist();
    assertThat(out.run("config", "receive.denyDeletes")).isEqualTo("true");
    assertThat(Files.readString(out.directory().resolve("config"))).doesNotContain("external");
  }
}

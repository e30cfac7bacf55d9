// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.manifest.PackEntry;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Second pass of an import: a repository gets what its source has got since. */
class MirrorTest extends ImportFixture {
  @AutoClose private S3RepositoryManager manager;
  private Mirror mirror;

  @BeforeEach
  void importSource() throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", "file:" + scratch.resolve("store"));
    manager = S3RepositoryManager.open(S3Settings.from(config, "test"));
    mirror = new Mirror(manager, NullProgressMonitor.INSTANCE);
    importInto(manager, source.directory().toString());
  }

  private String commit(String text) {
    String blob = source.run(in -> in.write(text.getBytes(UTF_8)), "hash-object", "-w", "--stdin");
    String tree =
        source.run(
            in -> in.write(("100644 blob " + blob.strip() + "\tfile\n").getBytes(UTF_8)), "mktree");
    return source.run("commit-tree", "-p", "HEAD", "-m", text, tree.strip()).strip();
  }

  private List<PackEntry> packs() throws IOException {
    try (S3Repository repository = manager.openRepository(NAME.value())) {
      return repository.manifest().packs();
    }
  }

  private void update() throws IOException {
    mirror.update(source.directory(), NAME);
    assertThat(mirror.isEqual(source.directory(), NAME)).isTrue();
  }

  @Test
  void only_objects_that_are_new_are_copied_in_one_pack() throws Exception {
    List<PackEntry> before = packs();
    String changed = commit("changed");
    for (int i = 0; i < 20; i++) {
      source.run("update-ref", "refs/changes/" + i, changed);
    }
    source.run("update-ref", "refs/changes/other", commit("other"));
    update();
    List<PackEntry> added = packs().stream().filter(pack -> !before.contains(pack)).toList();
    assertThat(packs()).containsAll(before);
    assertThat(added).hasSize(1);
    assertThat(added.get(0).objects()).as("2 commits, trees and blobs").isEqualTo(6);
    assertThat(added.get(0).source()).isEqualTo("RECEIVE");
  }

  @Test
  void refs_to_objects_that_are_there_need_no_pack() throws Exception {
    List<PackEntry> before = packs();
    source.run("update-ref", "refs/heads/another", "HEAD~1");
    update();
    assertThat(packs()).isEqualTo(before);
  }

  /** The store has a ref to an object that the source does not have any more. */
  @Test
  void objects_that_only_the_store_has_are_ignored() throws Exception {
    String dropped = commit("dropped");
    source.run("update-ref", "refs/changes/dropped", dropped);
    update();
    source.run("update-ref", "-d", "refs/changes/dropped");
    source.run("prune", "--expire", "now");
    source.run("update-ref", "refs/changes/other", commit("other"));
    update();
  }

  @Test
  void an_object_that_is_missing_changes_no_ref() throws Exception {
    String changed = commit("changed");
    source.run("update-ref", "refs/changes/changed", changed);
    String blob = source.run("rev-parse", changed + ":file").strip();
    Path objects = source.directory().resolve("objects");
    Files.delete(objects.resolve(blob.substring(0, 2)).resolve(blob.substring(2)));
    List<PackEntry> before = packs();
    assertThatThrownBy(this::update).isInstanceOf(IOException.class).hasMessageContaining(blob);
    assertThat(packs()).isEqualTo(before);
    try (S3Repository repository = manager.openRepository(NAME.value())) {
      assertThat(repository.exactRef("refs/changes/changed")).isNull();
    }
  }
}

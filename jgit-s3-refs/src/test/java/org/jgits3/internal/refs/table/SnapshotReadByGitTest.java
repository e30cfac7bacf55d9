// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.TestRepositories.creation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot is a packed-refs file: the real git reads it, and writes the same refs back. */
@Holds("SnapshotMerge, RefOrder: A snapshot is a packed-refs file as Git reads and writes it")
class SnapshotReadByGitTest {
  private static final int CHANGES = 4000;

  /** Format of a ref for git: value, name, and the peeled value of a tag. */
  private static final String FORMAT = "--format=%(objectname) %(refname) %(*objectname)";

  /** In order of their bytes, which is neither that of UTF-16 nor that of any language. */
  private static final List<String> IN_ORDER =
      List.of(
          "refs/heads/Z",
          "refs/heads/a",
          "refs/heads/a-b",
          "refs/heads/a.b",
          "refs/heads/aa/b",
          "refs/heads/z",
          "refs/heads/\u00e9",
          "refs/heads/\u0435\u0301",
          "refs/heads/\u65e5\u672c",
          "refs/heads/\uFF5E",
          "refs/heads/\uD83D\uDE00",
          "refs/heads/\uDBFF\uDFFD/x");

  @TempDir Path directory;
  private final ObjectStore store = new MemoryObjectStore();
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository ours;
  private GitClient git;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(store);
    ours = manager.createRepository("r");
    GitClient client = GitClient.in(directory);
    client.run("init", "-q", "--bare", "r.git");
    git = client.at("r.git");
  }

  /** The same commit in both repositories. */
  private ObjectId commit(String message) throws IOException {
    ObjectId id = TestRepositories.commit(ours, message);
    return copied(id, "commit");
  }

  private ObjectId tag(String name, ObjectId of) throws IOException {
    return copied(TestRepositories.tag(ours, name, of), "tag");
  }

  private ObjectId copied(ObjectId id, String type) throws IOException {
    byte[] content = ours.open(id).getBytes();
    git.run(stdin -> {}, "hash-object", "-w", "-t", "tree", "--stdin"); // the empty one
    String theirs =
        git.run(stdin -> stdin.write(content), "hash-object", "-w", "-t", type, "--stdin");
    assertThat(theirs).isEqualTo(id.name());
    return id;
  }

  private void createAll(List<ReceiveCommand> commands) throws IOException {
    TestRepositories.assertAllOk(
        TestRepositories.batch(ours, true, commands.toArray(ReceiveCommand[]::new)));
  }

  /** Makes the snapshot of all refs the packed-refs of the other repository. */
  private byte[] handOver() throws IOException {
    ours.getRefDatabase().compact();
    Manifest manifest = StoredManifest.read(store, "r");
    var snapshot = manifest.refs().base().orElseThrow();
    byte[] bytes = new byte[(int) snapshot.size()];
    store.read(
        ObjectNames.snapshotKey(manifest.repositoryId(), snapshot.id()),
        0,
        bytes,
        0,
        bytes.length,
        Optional.empty());
    Files.write(git.directory().resolve("packed-refs"), bytes);
    return bytes;
  }

  private List<String> listedByGit() {
    return git.run("for-each-ref", FORMAT).lines().map(String::stripTrailing).toList();
  }

  /** In git's order; the listing itself has that of JGit, which compares UTF-16. */
  private List<String> listedHere() throws IOException {
    List<String> lines = new ArrayList<>();
    for (Ref ref : ours.getRefDatabase().getRefsByPrefix("refs/")) {
      assertThat(ref.isPeeled()).as(ref.getName()).isTrue();
      ObjectId peeled = ref.getPeeledObjectId();
      lines.add(
          ref.getObjectId().name()
              + " "
              + ref.getName()
              + (peeled == null ? "" : " " + peeled.name()));
    }
    lines.sort(Comparator.comparing(line -> line.substring(41), RefOrder.INSTANCE));
    return lines;
  }

  @Test
  void thousands_of_refs_and_their_peeled_values() throws Exception {
    ObjectId first = commit("first");
    ObjectId second = commit("second");
    ObjectId tag = tag("v1", first);
    List<ReceiveCommand> commands = new ArrayList<>();
    for (int i = 0; i < CHANGES; i++) {
      String change = String.format("refs/changes/%02d/%d/", i % 100, i);
      commands.add(creation(change + "meta", first));
      commands.add(creation(change + (1 + i % 11), i % 2 == 0 ? first : second));
    }
    commands.add(creation("refs/heads/main", second));
    commands.add(creation("refs/tags/light", second));
    commands.add(creation("refs/tags/v1", tag));
    commands.add(creation("refs/tags/v1-of-v1", tag("v1-of-v1", first)));
    createAll(commands);
    handOver();

    assertThat(listedByGit()).hasSize(2 * CHANGES + 4).isEqualTo(listedHere());
    assertThat(git.run("rev-parse", "refs/changes/77/3977/meta")).isEqualTo(first.name());
    assertThat(git.run("rev-parse", "refs/tags/v1^{}")).isEqualTo(first.name());
    GitAssertions.assertIntact(git);
  }

  @Test
  void names_beyond_ASCII_and_beyond_the_basic_plane_in_git_s_order() throws Exception {
    ObjectId first = commit("first");
    createAll(IN_ORDER.stream().map(name -> creation(name, first)).toList());
    handOver();

    assertThat(listedByGit()).isEqualTo(listedHere());
    assertThat(git.run("for-each-ref", "--format=%(refname)").lines().toList()).isEqualTo(IN_ORDER);
    for (String name : IN_ORDER) {
      // A look-up of one name, which searches the file: a wrong order would miss it.
      String found =
          git.run(stdin -> stdin.write((name + "\n").getBytes(UTF_8)), "cat-file", "--batch-check");
      assertThat(found).as(name).startsWith(first.name() + " commit");
      assertThat(ours.exactRef(name).getObjectId()).as(name).isEqualTo(first);
    }
  }

  @Test
  void git_packs_the_refs_it_read_into_the_same_bytes() throws Exception {
    ObjectId first = commit("first");
    List<ReceiveCommand> commands = new ArrayList<>();
    IN_ORDER.forEach(name -> commands.add(creation(name, first)));
    ObjectId tag = tag("v1", first);
    for (int i = 0; i < 500; i++) {
      commands.add(creation("refs/tags/v" + i, i % 7 == 0 ? tag : first));
    }
    createAll(commands);
    byte[] snapshot = handOver();
    List<String> before = listedByGit();

    // A loose ref that is gone again makes git write the file anew.
    git.run("update-ref", "refs/heads/passing", first.name());
    git.run("pack-refs", "--all");
    git.run("update-ref", "-d", "refs/heads/passing");

    assertThat(listedByGit()).isEqualTo(before).isEqualTo(listedHere());
    byte[] rewritten = Files.readAllBytes(git.directory().resolve("packed-refs"));
    assertThat(new String(rewritten, UTF_8)).isEqualTo(new String(snapshot, UTF_8));
    assertThat(TestTables.parsed("packed-refs", rewritten, before.size()).size())
        .isEqualTo(before.size());
  }
}

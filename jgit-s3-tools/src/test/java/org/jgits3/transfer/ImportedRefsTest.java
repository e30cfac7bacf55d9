// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Refs of a directory, loose and packed, come out as Git reads them there. */
@Timeout(120)
class ImportedRefsTest extends ImportFixture {
  private static final String FORMAT = "--format=%(refname) %(objectname) %(*objectname) %(symref)";

  /** More refs than a manifest has room for. */
  private static final int MANY_REFS = 5000;

  private S3RepositoryManager manager;
  private String head;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(scratch.resolve("store"));
    head = source.run("rev-parse", "HEAD").strip();
  }

  private Path packed() {
    return source.directory().resolve("packed-refs");
  }

  /** Packs all refs and, before them in order, so many more. */
  private void packRefs(int count) throws IOException {
    source.run("pack-refs", "--all");
    List<String> lines = Files.readAllLines(packed());
    IntStream.range(0, count)
        .mapToObj(i -> "%s refs/a/%02d/%d/1".formatted(head, i % 100, i))
        .sorted(Comparator.reverseOrder())
        .forEach(line -> lines.add(1, line));
    Files.write(packed(), lines);
  }

  /** Imports the source, exports it, and compares. */
  private void comesOutUnchanged() throws Exception {
    importInto(manager, source.directory().toString());
    Path exported = scratch.resolve("exported.git");
    try (S3Repository repository = manager.openRepository(NAME.value())) {
      new Exporter(NullProgressMonitor.INSTANCE).run(repository, exported);
      assertThat(new Mirror(manager, NullProgressMonitor.INSTANCE).isEqual(exported, NAME))
          .isTrue();
    }
    GitClient out = source.at(exported);
    assertThat(out.run("for-each-ref", FORMAT)).isEqualTo(source.run("for-each-ref", FORMAT));
    assertThat(out.run("rev-parse", "HEAD")).isEqualTo(source.run("rev-parse", "HEAD"));
    out.run("fsck", "--full", "--strict");
  }

  private void isRefused(String... because) throws IOException {
    assertThatThrownBy(() -> importInto(manager, source.directory().toString()))
        .isInstanceOf(IOException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(because).doesNotContain("\n"));
    assertThat(manager.list()).isEmpty();
    assertThat(
            StoredFiles.below(scratch.resolve("store"), path -> path.toString().contains("/refs/")))
        .isEmpty();
  }

  @Test
  void loose_refs_replace_packed_ones_and_many_come_out_unchanged() throws Exception {
    source.run("tag", "-a", "-m", "packed", "v1");
    packRefs(MANY_REFS);
    source.run("update-ref", "refs/a/07/7/1", "HEAD~1");
    source.run("tag", "-a", "-m", "loose", "v2");
    source.run("tag", "-f", "-a", "-m", "moved", "v1", "HEAD~1");
    source.run("symbolic-ref", "refs/heads/link", "refs/a/08/8/1");
    source.run("symbolic-ref", "refs/a/09/9/1", "refs/heads/link");
    comesOutUnchanged();
    try (S3Repository repository = manager.openRepository(NAME.value())) {
      assertThat(repository.manifest().refs().overlay()).as("all in the snapshot").isEmpty();
    }
  }

  @Test
  void few_refs_and_a_detached_head_come_out_unchanged() throws Exception {
    source.run("tag", "-a", "-m", "loose", "v1");
    source.run("update-ref", "--no-deref", "HEAD", head);
    comesOutUnchanged();
  }

  @Test
  void symbolic_ref_to_head_is_refused() throws Exception {
    source.run("symbolic-ref", "refs/heads/here", "HEAD");
    isRefused("refs/heads/here: leads to HEAD");
    source.run("update-ref", "--no-deref", "HEAD", head);
    isRefused("refs/heads/here: leads to HEAD");
  }

  @Test
  void loose_ref_with_a_backslash_is_refused_and_not_taken_for_another() throws Exception {
    source.run("branch", "a/b");
    Files.writeString(
        source.directory().resolve("refs/heads/a\\b"), source.run("rev-parse", "HEAD~1"));
    isRefused("a\\b");
  }

  @Test
  void what_packed_refs_has_outside_refs_is_left_out() throws Exception {
    source.run("pack-refs", "--all");
    List<String> lines = Files.readAllLines(packed());
    lines.add(1, head + " HEAD");
    Files.write(packed(), lines);
    importInto(manager, source.directory().toString());
    try (S3Repository repository = manager.openRepository(NAME.value())) {
      assertThat(repository.getFullBranch()).isEqualTo("refs/heads/main");
      assertThat(repository.exactRef("HEAD").isSymbolic()).isTrue();
    }
  }

  @Test
  void packed_refs_that_are_a_header_without_an_end_are_none() throws Exception {
    Files.writeString(packed(), "# pack-refs with: peeled fully-peeled sorted ");
    importInto(manager, source.directory().toString());
    assertThat(manager.list()).containsExactly(NAME.value());
  }

  @Test
  void peeled_values_that_are_missing_or_wrong_in_packed_refs_are_mended() throws Exception {
    for (int i = 0; i < 3; i++) {
      source.run("tag", "-a", "-m", "tag", "v" + i);
    }
    packRefs(MANY_REFS);
    List<String> lines = Files.readAllLines(packed());
    int last = lines.size() - 1;
    assertThat(lines.get(last)).isEqualTo("^" + head);
    lines.set(last, "^" + source.run("rev-parse", "HEAD~1").strip());
    lines.remove(last - 2); // that of the tag before
    lines.add(2, "^" + head); // of a commit
    Files.write(packed(), lines);
    importInto(manager, source.directory().toString());
    try (S3Repository repository = manager.openRepository(NAME.value());
        RevWalk walk = new RevWalk(repository)) {
      for (var ref : repository.getRefDatabase().getRefsByPrefix("refs/")) {
        ObjectId object = walk.peel(walk.parseAny(ref.getObjectId())).copy();
        assertThat(ref.getPeeledObjectId())
            .isEqualTo(object.equals(ref.getObjectId()) ? null : object);
      }
    }
  }

  @Test
  void packed_refs_that_JGit_wrote_come_out_unchanged() throws Exception {
    packRefs(MANY_REFS);
    source.run("tag", "-a", "-m", "tag", "v1");
    try (Repository jgit =
        new FileRepositoryBuilder().setGitDir(source.directory().toFile()).build()) {
      new Git(jgit).packRefs().setAll(true).call();
    }
    comesOutUnchanged();
  }

  @Test
  void packed_refs_that_are_not_sorted_come_out_unchanged() throws Exception {
    packRefs(3);
    List<String> lines = Files.readAllLines(packed());
    lines.set(0, "# pack-refs with: peeled fully-peeled ");
    Collections.swap(lines, 1, 2);
    Files.write(packed(), lines);
    comesOutUnchanged();
  }

  @Test
  void a_symbolic_ref_in_a_circle_is_refused() throws Exception {
    source.run("pack-refs", "--all");
    Path heads = Files.createDirectories(source.directory().resolve("refs/heads"));
    Files.writeString(heads.resolve("a"), "ref: refs/heads/b\n");
    Files.writeString(heads.resolve("b"), "ref: refs/heads/a\n");
    isRefused("refs/heads/a");
  }

  @Test
  void a_dangling_symbolic_ref_is_not_replaced_by_its_packed_value() throws Exception {
    source.run("update-ref", "refs/heads/old", head);
    source.run("pack-refs", "--all");
    source.run("symbolic-ref", "refs/heads/old", "refs/heads/none");
    importInto(manager, source.directory().toString());
    try (S3Repository repository = manager.openRepository(NAME.value())) {
      assertThat(repository.exactRef("refs/heads/old")).isNull();
    }
  }

  @Test
  void packed_refs_of_which_one_is_a_directory_of_another_are_refused() throws Exception {
    packRefs(MANY_REFS);
    String text = Files.readString(packed());
    String ref = head + " refs/a/07/7/1\n";
    Files.writeString(packed(), text.replace(ref, ref + head + " refs/a/07/7/1/x\n"));
    isRefused("refs/a/07/7/1/x was not made");
  }

  @Test
  void a_packed_ref_to_a_missing_object_is_refused_by_name() throws Exception {
    packRefs(MANY_REFS);
    String none = "1234567890".repeat(4);
    String ref = " refs/a/07/7/1\n";
    Files.writeString(packed(), Files.readString(packed()).replace(head + ref, none + ref));
    isRefused("refs/a/07/7/1 points to " + none + ", which is missing");
  }

  @Test
  void a_packed_name_that_is_not_valid_is_refused() throws Exception {
    packRefs(MANY_REFS);
    String text = Files.readString(packed());
    Files.writeString(packed(), text.replace("refs/a/07/7/1\n", "refs/a/07/7/..\n"));
    isRefused("'refs/a/07/7/..' is not a valid name");
  }
}

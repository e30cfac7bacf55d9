// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.bench.git.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GivenRefsTest {
  @TempDir private Path directory;

  @Test
  void refs_of_a_repository_are_those_that_git_lists() throws Exception {
    GitClient git = GitClient.in(directory.resolve("home"));
    Path repository = Files.createDirectory(directory.resolve("r"));
    git.run(repository, "init", "-q");
    git.run(repository, "commit", "-q", "--allow-empty", "-m", "first");
    git.run(repository, "tag", "-a", "-m", "annotated", "v1");
    git.run(repository, "update-ref", "refs/changes/01/1/1", "HEAD");
    Path file = directory.resolve("refs");
    GivenRefs refs = GivenRefs.fetch(repository.toString(), file);

    assertThat(refs.all())
        .extracting(Ref::getName)
        .containsExactly("refs/changes/01/1/1", "refs/heads/main", "refs/tags/v1");
    assertThat(refs.all().get(2).getPeeledObjectId()).isEqualTo(refs.all().get(1).getObjectId());
    assertThat(names(refs.sample()))
        .isSubsetOf(names(refs.all()))
        .isEqualTo(names(GivenRefs.read(file).sample()));
    assertThat(refs.absent()).doesNotContainAnyElementsOf(names(refs.all()));
    assertThat(refs.prefixes()).contains("refs/changes/01/1/");
    Path packed = repository.resolve(".git/" + Constants.PACKED_REFS);
    refs.writePackedRefs(packed);
    Path again = directory.resolve("again");
    assertThat(GivenRefs.fetch(repository.toString(), again).all()).hasSameSizeAs(refs.all());
    assertThat(again).hasSameTextualContentAs(file);
  }

  private static List<String> names(List<Ref> refs) {
    return refs.stream().map(Ref::getName).toList();
  }

  @Test
  void data_of_other_refs_is_elsewhere() throws Exception {
    Path some = write("some", "1".repeat(40) + "\trefs/heads/x\n");
    Path other = write("other", "2".repeat(40) + "\trefs/heads/x\n");

    assertThat(DataSet.of(directory, some).bucket())
        .isNotEqualTo(DataSet.of(directory, other).bucket());
  }

  @Test
  void line_that_is_no_ref_is_told() throws Exception {
    Path file = write("some", "nonsense\n");

    assertThatThrownBy(() -> GivenRefs.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("some has a line that is no ref: nonsense");
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }
}

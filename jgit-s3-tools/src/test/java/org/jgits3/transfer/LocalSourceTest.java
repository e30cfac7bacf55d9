// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories whose refs cannot all be read are refused, since JGit passes over what it cannot. */
@Holds(
    "RefFiles, LocalSource, SourceRefs: A source that is shallow, lacks an object or has "
        + "unreadable refs is refused, and leaves nothing")
class LocalSourceTest {
  private final GitClient source;
  private final String head;

  LocalSourceTest(@TempDir Path directory) throws IOException {
    source = GitClient.in(directory).init("src");
    head = source.commitFile("file", "content\n");
  }

  private Path file(String name) {
    return source.directory().resolve(".git").resolve(name);
  }

  private Map<String, ObjectId> inspected() throws IOException {
    try (ImportSource opened = ImportSource.open(source.directory().toString())) {
      opened.inspect(new Config(), NullProgressMonitor.INSTANCE);
      SourceRefs refs = opened.refs();
      return refs.names()
          .filter(name -> !refs.symbolic().containsKey(name))
          .collect(toMap(name -> name, refs::id));
    }
  }

  private void isRefused(String... because) {
    assertThatThrownBy(this::inspected)
        .isInstanceOf(IOException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(because).doesNotContain("\n"));
  }

  @Test
  void names_that_are_not_UTF8_are_refused_loose_and_packed() {
    byte[] create = ("create refs/heads/gr\u00fcn " + head + "\n").getBytes(ISO_8859_1);
    source.run(in -> in.write(create), "update-ref", "--stdin");
    isRefused("refs/heads/gr", "its name");
    source.run("pack-refs", "--all");
    isRefused("refs/heads/gr", "is not UTF-8");
  }

  @Test
  void files_that_hold_no_ref_are_refused() throws Exception {
    Files.writeString(file("refs/heads/empty"), "");
    isRefused("refs/heads/empty");
    Files.delete(file("refs/heads/empty"));
    Files.writeString(file("refs/heads/garbage"), "hello\n");
    isRefused("refs/heads/garbage");
  }

  @Test
  void files_that_hold_no_ref_are_refused_if_there_is_an_older_packed_value() throws Exception {
    source.run("pack-refs", "--all");
    source.commitFile("file", "later\n");
    assertThat(inspected().get("refs/heads/main").name()).isNotEqualTo(head);
    for (String content : new String[] {"", "hello\nworld\n"}) {
      Files.writeString(file("refs/heads/main"), content);
      isRefused("refs/heads/main", "repair it");
    }
  }

  @Test
  void files_that_Git_takes_for_no_refs_and_dangling_links_are_passed_over() throws Exception {
    Files.writeString(file("refs/heads/.DS_Store"), "none");
    Files.writeString(file("refs/heads/main.lock"), "");
    source.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/none");
    source.run("tag", "packed");
    source.run("pack-refs", "--all");
    source.run("tag", "loose");
    assertThat(inspected())
        .containsOnlyKeys("refs/heads/main", "refs/tags/packed", "refs/tags/loose");
  }

  @Test
  void formats_that_are_not_known_are_refused() {
    source.run("config", "core.repositoryFormatVersion", "1");
    source.run("config", "extensions.frobnicate", "true");
    isRefused("src: ", "unknown extension, frobnicate");
    String config = file("config").toString();
    GitClient outside = source.at("..");
    outside.run("config", "-f", config, "--unset", "extensions.frobnicate");
    outside.run("config", "-f", config, "core.repositoryFormatVersion", "9");
    isRefused("src: ", "\"9\"");
  }
}

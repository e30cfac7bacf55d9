// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of refs in every encoding, from every kind of source. */
class SourceNamesTest {
  @TempDir Path directory;
  private GitClient source;
  private String head;

  @BeforeEach
  void create() throws IOException {
    source = GitClient.in(directory).init("src");
    head = source.commitFile("file", "content\n");
    source.run("pack-refs", "--all");
    Path packed = packedRefs();
    Files.writeString(packed, Files.readString(packed).replace(" sorted", ""));
  }

  private Path packedRefs() {
    return source.directory().resolve(".git/packed-refs");
  }

  /** Appends a name, in bytes that no command line could say. */
  private void pack(String name, Charset charset) throws IOException {
    Files.write(
        packedRefs(), (head + " " + name + "\n").getBytes(charset), StandardOpenOption.APPEND);
  }

  private Set<String> inspected(String location) throws IOException {
    try (ImportSource opened = ImportSource.open(location)) {
      opened.inspect(new Config(), NullProgressMonitor.INSTANCE);
      return opened.refs().names().collect(toSet());
    }
  }

  private Set<String> served(boolean old) throws IOException {
    try (GitDaemon daemon = new GitDaemon(directory, old)) {
      return inspected(daemon.url("src"));
    }
  }

  private Set<String> bundled() throws IOException {
    String bundle = directory.resolve("a.bundle").toString();
    source.run("bundle", "create", "-q", bundle, "--all");
    return inspected(bundle);
  }

  private Set<String> read() throws IOException {
    return inspected(source.directory().toString());
  }

  @Test
  void names_in_UTF8_are_taken_as_they_are() throws IOException {
    String[] names = {
      "refs/heads/main",
      "refs/heads/gr\u00f6\u00dfe",
      "refs/heads/\u00e9",
      "refs/heads/\u00e9t\u00e9",
      "refs/heads/\u00c3\u00a9", // as a client leaves it that took UTF-8 for Latin-1
      "refs/heads/\ud83d\ude80"
    };
    for (String name : names) {
      if (!name.equals("refs/heads/main")) {
        pack(name, UTF_8);
      }
    }
    assertThat(served(false)).contains(names);
    assertThat(served(true)).contains(names);
    assertThat(bundled()).contains(names);
    assertThat(read()).contains(names);
  }

  @Test
  void other_names_are_taken_as_Latin1_where_JGit_reads_them_so() throws IOException {
    pack("refs/tags/gr\u00fcn/x", ISO_8859_1);
    assertThat(served(false)).contains("refs/tags/gr\u00fcn/x");
    assertThat(served(true)).contains("refs/tags/gr\u00fcn/x");
    assertThat(bundled()).contains("refs/tags/gr\u00fcn/x");
    assertThatThrownBy(this::read)
        .isInstanceOf(IOException.class)
        .hasMessage("refs/tags/gr\ufffdn/x: the name is not UTF-8; give the ref another one");
  }

  @Test
  void refs_that_would_get_one_name_are_refused() throws IOException {
    pack("refs/heads/\u00e9", UTF_8);
    pack("refs/heads/\u00e9", ISO_8859_1);
    assertThatThrownBy(() -> served(false)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> served(true)).isInstanceOf(IOException.class);
    assertThatThrownBy(this::bundled).isInstanceOf(IOException.class);
    assertThatThrownBy(this::read).isInstanceOf(IOException.class);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** JGit reads names that are not UTF-8 as others; those are not imported under these. */
class FetchedNamesTest {
  private static final String NOT_UTF8 = "is not UTF-8; give the ref another one";

  @TempDir Path directory;
  private GitClient source;
  private String head;

  @BeforeEach
  void create() throws IOException {
    GitClient git = GitClient.in(directory);
    git.run("init", "-q", "-b", "main", "src");
    source = git.at("src");
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
      return opened.refs().direct().keySet();
    }
  }

  private Set<String> served(boolean old) throws IOException {
    try (GitDaemon daemon = new GitDaemon(directory, old)) {
      return inspected(daemon.url("src"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"refs/heads/\u00e9", "refs/tags/gr\u00fcn/x", "refs/heads/\u00c3\u00a9\u00e9"})
  void name_in_latin1_is_refused(String name) throws IOException {
    pack("refs/heads/\u00e8", UTF_8);
    pack(name, ISO_8859_1);
    assertThatThrownBy(() -> served(false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("git://127.0.0.1")
        .hasMessageContaining("the name of " + name + " " + NOT_UTF8);
  }

  @Test
  void name_that_answers_to_the_prefix_of_another_is_not_taken_for_UTF8() throws IOException {
    pack("refs/heads/\u00e9", UTF_8);
    pack("refs/heads/\u00c3\u00a9\u00e9", ISO_8859_1);
    assertThatThrownBy(() -> served(false)).hasMessageContaining(NOT_UTF8);
  }

  @Test
  void name_that_exists_in_both_is_refused() throws IOException {
    pack("refs/heads/\u00e9", UTF_8);
    pack("refs/heads/\u00e9", ISO_8859_1);
    assertThatThrownBy(() -> served(false)).isInstanceOf(IOException.class);
  }

  @Test
  void names_in_UTF8_are_taken() throws IOException {
    String[] names = {
      "refs/heads/gr\u00f6\u00dfe",
      "refs/heads/\u00e9",
      "refs/heads/\u00e9t\u00e9",
      "refs/heads/\ud83d\ude80"
    };
    for (String name : names) {
      pack(name, UTF_8);
    }
    assertThat(served(false)).contains(names).contains("refs/heads/main");
  }

  /** The first connection lists, the second finds out about the server, the third asks. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void name_of_a_ref_that_is_deleted_meanwhile_is_not_said_to_be_in_other_bytes(int connection)
      throws IOException {
    pack("refs/heads/\u00e9", UTF_8);
    pack("refs/heads/\u00ea", UTF_8);
    try (GitDaemon daemon = deletingAt(connection, "refs/heads/\u00e9")) {
      String url = daemon.url("src");
      assertThatThrownBy(() -> inspected(url))
          .isInstanceOf(IOException.class)
          .hasMessage(
              url + ": refs/heads/\u00e9 was deleted there after it had been listed; import again");
      assertThat(inspected(url)).contains("refs/heads/\u00ea").doesNotContain("refs/heads/\u00e9");
    }
  }

  @Test
  void name_in_latin1_is_refused_by_itself_when_another_ref_is_deleted() throws IOException {
    pack("refs/heads/\u00e8", ISO_8859_1);
    pack("refs/heads/\u00e9", UTF_8);
    try (GitDaemon daemon = deletingAt(2, "refs/heads/\u00e9")) {
      assertThatThrownBy(() -> inspected(daemon.url("src")))
          .hasMessageContaining("the name of refs/heads/\u00e8 " + NOT_UTF8);
    }
  }

  private GitDaemon deletingAt(int connection, String ref) throws IOException {
    byte[] deletion = ("delete " + ref + "\n").getBytes(UTF_8);
    return new GitDaemon(
        directory,
        false,
        number -> {
          if (number == connection) {
            source.run(in -> in.write(deletion), "update-ref", "--stdin");
          }
        });
  }

  /** As those that a client leaves which has taken UTF-8 for Latin-1. */
  @Test
  void names_that_others_could_be_misread_as_are_taken() throws IOException {
    String[] names = {"refs/heads/\u00e9", "refs/heads/\u00c3\u00a9", "refs/heads/\u00c3\u00a9x"};
    for (String name : names) {
      pack(name, UTF_8);
    }
    assertThat(served(false)).contains(names);
  }

  @Test
  void server_that_cannot_be_asked_for_a_name_is_refused_if_one_is_in_doubt() throws IOException {
    pack("refs/heads/\ud83d\ude80", UTF_8);
    assertThat(served(true)).contains("refs/heads/\ud83d\ude80");
    pack("refs/heads/\u00e9", UTF_8);
    assertThatThrownBy(() -> served(true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refs/heads/\u00e9")
        .hasMessageContaining("git clone --mirror");
  }

  @Test
  void header_of_a_bundle_is_looked_at() throws IOException {
    pack("refs/heads/\u00e9", UTF_8);
    String bundle = directory.resolve("a.bundle").toString();
    source.run("bundle", "create", "-q", bundle, "--all");
    assertThat(inspected(bundle)).contains("refs/heads/\u00e9");
    pack("refs/heads/\u00e8", ISO_8859_1);
    source.run("bundle", "create", "-q", bundle, "--all");
    assertThatThrownBy(() -> inspected(bundle)).hasMessageContaining(NOT_UTF8);
  }
}

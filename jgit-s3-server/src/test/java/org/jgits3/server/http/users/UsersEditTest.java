// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsersEditTest {
  private static final String HASH = TestUsers.hash(4, "secret");

  @TempDir private Path dir;
  private Path file;
  private UsersEdit users;

  @BeforeEach
  void name_the_file() {
    file = dir.resolve("users");
    users = new UsersEdit(file);
  }

  private void assertUnchanged(String reason, ThrowingCallable change) throws IOException {
    String before = Files.exists(file) ? Files.readString(file, ISO_8859_1) : "missing";
    assertThatExceptionOfType(UsersFile.InvalidException.class)
        .isThrownBy(change)
        .withMessageContaining(reason);
    assertThat(Files.exists(file) ? Files.readString(file, ISO_8859_1) : "missing")
        .isEqualTo(before);
    assertThat(dir.resolve("users.lock")).doesNotExist();
  }

  private boolean accepted(String name, String password) throws IOException {
    return UsersFile.open(file).accepts("127.0.0.1", name, password).join();
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void user_that_was_added_is_accepted_until_removed() throws IOException {
    assertThat(users.put("ada", "secret")).isTrue();
    assertThat(users.put("gr\u00fcn", "p\u00e4ss: word")).isTrue();
    assertThat(users.names()).containsExactly("ada", "gr\u00fcn");
    assertThat(accepted("ada", "secret")).isTrue();
    assertThat(accepted("gr\u00fcn", "p\u00e4ss: word")).isTrue();
    assertThat(users.put("ada", "other")).isFalse();
    assertThat(accepted("ada", "secret")).isFalse();
    assertThat(accepted("ada", "other")).isTrue();
    users.remove("ada");
    assertThat(users.names()).containsExactly("gr\u00fcn");
    assertThat(accepted("ada", "other")).isFalse();
  }

  @Test
  void new_file_is_for_its_owner_alone_and_an_old_one_keeps_its_mode() throws IOException {
    users.put("ada", "secret");
    assertThat(mode(file)).isEqualTo("rw-------");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    users.put("eve", "secret");
    assertThat(mode(file)).isEqualTo("rw-r-----");
  }

  @Test
  void other_lines_and_comments_are_kept_byte_by_byte() throws IOException {
    String before = "# caf\u00e9\r\n\n  bob:" + HASH + "\r\n#ada:" + HASH + "\neve:" + HASH;
    Files.writeString(file, before, ISO_8859_1); // the comment is not UTF-8
    users.put("ada", "secret");
    users.put("bob", "changed");
    users.remove("ada");
    assertThat(Files.readString(file, ISO_8859_1))
        .startsWith("# caf\u00e9\r\n\nbob:$2y$10$")
        .endsWith("\n#ada:" + HASH + "\neve:" + HASH + "\n");
  }

  @Test
  void symbolic_link_to_no_file_is_refused_and_stays() throws IOException {
    Path link = Files.createSymbolicLink(dir.resolve("link"), Path.of("absent"));
    assertThatThrownBy(() -> new UsersEdit(link).put("ada", "secret"))
        .hasMessageContaining("is a symbolic link that leads to no file");
    assertThat(link).isSymbolicLink();
    assertThat(dir.resolve("absent")).doesNotExist();
  }

  @Test
  void symbolic_link_stays_one() throws IOException {
    Path link = Files.createSymbolicLink(dir.resolve("link"), Path.of("users"));
    Files.writeString(file, "bob:" + HASH + "\n");
    new UsersEdit(link).put("ada", "secret");
    assertThat(link).isSymbolicLink();
    assertThat(users.names()).containsExactly("bob", "ada");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a:b", "#a", " a", "a ", "a\nb", "a\rb", "a\u0000", "a\u001b[2J", "a\ud800"})
  void name_that_a_file_cannot_hold_is_refused(String name) throws IOException {
    assertUnchanged("the name ", () -> users.put(name, "secret"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\u0000b", "a\nb", "a\rb"})
  void password_that_http_cannot_carry_is_refused(String password) throws IOException {
    assertUnchanged("the password ", () -> users.put("ada", password));
  }

  @Test
  void password_of_which_bcrypt_would_ignore_the_end_is_refused() throws IOException {
    assertUnchanged("more than 72 bytes", () -> users.put("ada", "\u00e4".repeat(37)));
    users.put("ada", "\u00e4".repeat(36));
    assertThat(accepted("ada", "\u00e4".repeat(36))).isTrue();
  }

  @Test
  void file_that_a_server_would_refuse_is_not_written() throws IOException {
    Files.writeString(file, "bob:" + HASH + "\neve:$apr1$x$abcdefgh\n");
    assertUnchanged(":2: not a bcrypt hash", () -> users.put("ada", "secret"));
    users.put("eve", "secret"); // mends the file
    assertThat(users.names()).containsExactly("bob", "eve");
    assertUnchanged("has no user ada", () -> users.remove("ada"));
    users.remove("bob");
    assertUnchanged("no users", () -> users.remove("eve"));
    Files.writeString(file, ("bob:" + HASH + "\n").repeat(2) + "eve:" + HASH + "\n");
    assertUnchanged("occurs twice", () -> users.put("ada", "secret"));
    users.remove("bob");
    assertThat(users.names()).containsExactly("eve");
  }

  @Test
  void lock_of_another_process_is_respected() throws IOException {
    Files.writeString(file, "bob:" + HASH + "\n");
    Path lock = Files.createFile(dir.resolve("users.lock"));
    assertThatIOException()
        .isThrownBy(() -> users.put("ada", "secret"))
        .withMessageContaining(lock + " exists");
    assertThat(lock).exists();
    assertThat(users.names()).containsExactly("bob");
  }

  @Test
  void missing_file_or_directory_is_told_by_its_name() throws IOException {
    assertUnchanged(file + ": no such file of users", () -> users.remove("ada"));
    assertUnchanged(file + ": no such file of users", () -> users.names());
    Path lost = dir.resolve("missing/users");
    assertUnchanged(
        lost + ": its directory does not exist", () -> new UsersEdit(lost).put("ada", "secret"));
    assertThat(lost.getParent()).doesNotExist();
  }

  @Test
  void reader_sees_the_users_before_or_after_each_change() throws Exception {
    Files.writeString(file, "# one\nbob:" + HASH + "\n");
    List<List<String>> seen = new ArrayList<>();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < 5; i++) {
                Unchecked.call(() -> users.put("ada", "secret"));
                Unchecked.run(() -> users.remove("ada"));
              }
            });
    while (!writer.isDone()) {
      seen.add(Htpasswd.parse(Files.readAllBytes(file), "users").names());
    }
    writer.join();
    assertThat(seen).isSubsetOf(List.of(List.of("bob"), List.of("bob", "ada")));
    assertThat(Files.readString(file, UTF_8)).isEqualTo("# one\nbob:" + HASH + "\n");
  }
}

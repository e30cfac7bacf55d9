// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsersFileTest {
  /** A line as {@code htpasswd -nbB ada secret} prints it. */
  private static final String HTPASSWD_LINE = TestUsers.line("ada", 5, "secret").strip();

  @TempDir private Path dir;

  private Path write(String text) throws IOException {
    return Files.writeString(dir.resolve("users"), text);
  }

  private void assertRefused(String text, String reason) throws IOException {
    Path file = write(text);
    assertThatExceptionOfType(UsersFile.InvalidException.class)
        .isThrownBy(() -> UsersFile.open(file))
        .withMessageStartingWith(file + ":")
        .withMessageContaining(reason);
  }

  @Test
  void accepts_a_user_with_the_right_password_again_and_again() throws IOException {
    UsersFile users = UsersFile.open(write("# staff\n\n" + HTPASSWD_LINE + "\n"));
    assertThat(accepts(users, "ada", "secret").join()).isTrue();
    assertThat(accepts(users, "ada", "secret").join()).isTrue();
    assertThat(accepts(users, "ada", "Secret").join()).isFalse();
    assertThat(accepts(users, "eve", "secret").join()).isFalse();
    assertThat(accepts(users, "ada", "").join()).isFalse();
  }

  @Test
  void compares_the_first_72_bytes_of_a_password_as_htpasswd_does() throws IOException {
    String password = "x".repeat(72);
    UsersFile users = UsersFile.open(write("ada:" + hash(password) + "\n"));
    assertThat(accepts(users, "ada", password + "tail").join()).isTrue();
    assertThat(accepts(users, "ada", "x".repeat(71)).join()).isFalse();
  }

  @Test
  void other_hashes_are_refused_with_file_and_line() throws IOException {
    assertRefused(HTPASSWD_LINE + "\neve:$apr1$x$abcdefgh\n", ":2: not a bcrypt hash");
    assertRefused("eve:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n", ":1: not a bcrypt hash");
    assertRefused("eve:plain\n", "not a bcrypt hash");
    assertRefused("eve\n", "expected NAME:HASH");
    assertRefused(":" + hash("x") + "\n", "expected NAME:HASH");
    assertRefused(HTPASSWD_LINE + "\n" + HTPASSWD_LINE + "\n", ":2: user ada occurs twice");
  }

  @Test
  void file_that_cannot_be_read_as_users_is_refused_by_its_name() throws IOException {
    assertRefused("", "has no users");
    assertRefused("# nobody yet\n\n", "has no users");
    Path latin = dir.resolve("latin");
    Files.write(latin, (HTPASSWD_LINE + "\ngr\u00fcn:x\n").getBytes(ISO_8859_1));
    assertThatExceptionOfType(UsersFile.InvalidException.class)
        .isThrownBy(() -> UsersFile.open(latin))
        .withMessage(latin + ":2: not UTF-8");
    assertThatExceptionOfType(UsersFile.InvalidException.class)
        .isThrownBy(() -> UsersFile.open(dir.resolve("missing")))
        .withMessage(dir.resolve("missing") + ": no such file of users");
    assertThatExceptionOfType(UsersFile.InvalidException.class)
        .isThrownBy(() -> UsersFile.open(dir))
        .withMessageStartingWith(dir + ": cannot be read: ");
  }

  @Test
  void cost_that_would_burn_a_core_is_refused() throws IOException {
    assertRefused(HTPASSWD_LINE.replace("$05$", "$31$"), "bcrypt cost 31");
  }

  @Test
  void change_of_the_file_takes_effect_at_once() throws IOException {
    Path file = write(HTPASSWD_LINE + "\n");
    UsersFile users = UsersFile.open(file);
    assertThat(accepts(users, "ada", "secret").join()).isTrue();
    write("eve:" + hash("other") + "\n");
    assertThat(accepts(users, "ada", "secret").join()).isFalse();
    assertThat(accepts(users, "eve", "other").join()).isTrue();
  }

  @Test
  void change_of_another_user_leaves_a_verified_one_verified() throws IOException {
    Path file = write(HTPASSWD_LINE + "\n");
    UsersFile users = UsersFile.open(file);
    assertThat(accepts(users, "ada", "secret").join()).isTrue();
    write(HTPASSWD_LINE + "\neve:" + hash("other") + "\n");
    assertThat(accepts(users, "ada", "secret")).isCompletedWithValue(true);
    write("ada:" + hash("changed") + "\neve:" + hash("other") + "\n");
    assertThat(accepts(users, "ada", "secret").join()).isFalse();
  }

  @Test
  void file_in_the_working_directory_may_be_given_by_its_plain_name() throws IOException {
    Path file = Files.createTempFile(Path.of(""), "users", ".test");
    try {
      Files.writeString(file, HTPASSWD_LINE + "\n");
      assertThat(accepts(UsersFile.open(file.getFileName()), "ada", "secret").join()).isTrue();
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void change_that_cannot_be_used_keeps_the_last_good_users() throws IOException {
    Path file = write(HTPASSWD_LINE + "\n");
    UsersFile users = UsersFile.open(file);
    write("garbage\n");
    assertThat(accepts(users, "ada", "secret").join()).isTrue();
    write("");
    assertThat(accepts(users, "ada", "secret").join()).isTrue();
    Files.delete(file);
    assertThat(accepts(users, "ada", "secret").join()).isTrue();
  }

  @Test
  void half_of_a_file_keeps_the_users_of_the_whole_one() throws IOException {
    Path file = write(HTPASSWD_LINE + "\n");
    UsersFile users = UsersFile.open(file);
    for (int length = 0; length < HTPASSWD_LINE.length(); length++) {
      write(HTPASSWD_LINE.substring(0, length));
      assertThat(accepts(users, "ada", "secret").join()).as("first %d bytes", length).isTrue();
    }
  }

  @Test
  void file_without_an_end_is_not_read_to_the_end() throws IOException {
    Path file = dir.resolve("endless");
    Files.createSymbolicLink(file, Path.of("/dev/zero"));
    assertThatExceptionOfType(UsersFile.InvalidException.class)
        .isThrownBy(() -> UsersFile.open(file))
        .withMessage(file + ": has more than 16777216 bytes");
  }

  @Test
  void name_that_could_not_be_shown_safely_is_refused() throws IOException {
    assertRefused("a\u001b[2Jb:" + hash("x") + "\n", ":1: the name contains a control character");
    assertRefused("a\u202eb:" + hash("x") + "\n", ":1: the name contains a control character");
    assertRefused("a\rb:" + hash("x") + "\n", ":1: expected NAME:HASH");
    assertRefused("a :" + hash("x") + "\n", ":1: the name begins or ends with a space");
    assertRefused("x".repeat(256) + ":" + hash("x") + "\n", ":1: the name has more than 255 bytes");
  }

  @Test
  void file_of_another_system_is_read_by_its_lines() throws IOException {
    UsersFile users = UsersFile.open(write("# staff\r\n" + HTPASSWD_LINE + "\r\n"));
    assertThat(accepts(users, "ada", "secret").join()).isTrue();
  }

  private static CompletableFuture<Boolean> accepts(UsersFile users, String user, String password) {
    return users.accepts("127.0.0.1", user, password);
  }

  private static String hash(String password) {
    return TestUsers.hash(4, password);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Holds("RepositoryName: No key of a name is a path prefix of another")
class RepositoryNameTest {
  private static final String LONGEST_KEY = ("\u4ED3".repeat(24) + "/").repeat(4) + "x".repeat(22);

  @ParameterizedTest
  @CsvSource({
    "a, names/a.git",
    "team/app, names/team/app.git",
    "A-b_c.d~e+f=g@h, names/A-b_c.d~e+f=g@h.git",
    "two words, names/two%20words.git",
    "50%, names/50%25.git",
    "a:b?c*d, names/a%3Ab%3Fc%2Ad.git",
    "größe/仓库, names/gr%C3%B6%C3%9Fe/%E4%BB%93%E5%BA%93.git",
    "\uD83D\uDE80, names/%F0%9F%9A%80.git",
    "All-Users, names/All-Users.git"
  })
  void key_is_the_name_percent_encoded_and_back(String name, String key) {
    assertThat(RepositoryName.of(name).pointerKey()).isEqualTo(key);
    assertThat(RepositoryName.fromPointerKey(key)).contains(RepositoryName.of(name));
  }

  @Test
  void every_character_of_ASCII_has_its_form() {
    String literal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~+=@-";
    for (char c = ' '; c < 0x7f; c++) {
      if (c != '/' && c != '\\') {
        String form = literal.indexOf(c) >= 0 ? "" + c : String.format("%%%02X", (int) c);
        RepositoryName name = RepositoryName.of("x" + c + "x");
        assertThat(name.pointerKey()).isEqualTo("names/x" + form + "x.git");
        assertThat(RepositoryName.fromPointerKey(name.pointerKey())).contains(name);
      }
    }
  }

  @Test
  void one_trailing_git_is_removed() {
    assertThat(RepositoryName.of("a/b.git")).isEqualTo(RepositoryName.of("a/b"));
    assertThat(RepositoryName.of("a/b")).hasToString("a/b");
  }

  @Test
  void names_that_differ_in_case_are_different() {
    assertThat(RepositoryName.of("App").pointerKey())
        .isNotEqualTo(RepositoryName.of("app").pointerKey());
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void refuses_in_one_line_that_says_why(String name, String why) {
    assertThatThrownBy(() -> RepositoryName.of(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContainPattern("\\p{Cntrl}"));
  }

  static Object[][] refusals() {
    return new Object[][] {
      {"", "empty"},
      {".git", "empty"},
      {"/a", "absolute"},
      {"/", "absolute"},
      {"..", "dots only"},
      {"../a", "dots only"},
      {"a/../b", "dots only"},
      {"a/./b", "dots only"},
      {"a/...", "dots only"},
      {"a//b", "empty segment"},
      {"a/", "empty segment"},
      {"a\nb", "control character, U+000A"},
      {"a\u0000", "control character, U+0000"},
      {"a\u007F", "control character, U+007F"},
      {"a\u0085b", "control character, U+0085"},
      {"a\u2028b", "control character, U+2028"},
      {"a\\b", "backslash"},
      {"\\b", "backslash"},
      {"a.lock", ".git or .lock"},
      {"a.LOCK/b", ".git or .lock"},
      {"a.Lock", ".git or .lock"},
      {"a.git.git", ".git or .lock"},
      {"a.git/b", ".git or .lock"},
      {"a.GIT", ".git or .lock"},
      {"x/.Git/b", ".git or .lock"},
      {" a", "space"},
      {"a ", "space"},
      {"a/ b", "space"},
      {"a /b", "space"},
      {"x".repeat(256), "256 characters"},
      {"x".repeat(241), "241 bytes"},
      {"\u00E9".repeat(41), "246 bytes"},
      {LONGEST_KEY + "x", "a key of 901 bytes, at most 900"},
      {"a\uD83Db", "surrogate"},
      {"gr\uFFFDn", "U+FFFD"},
      {"\uFFFDn", "U+FFFD"},
    };
  }

  @Test
  void longest_names_are_allowed() {
    assertThat(RepositoryName.of("x".repeat(240)).pointerKey()).hasSize(6 + 240 + 4);
    assertThat(RepositoryName.of("x".repeat(127) + "/" + "y".repeat(127)).value()).hasSize(255);
    assertThat(RepositoryName.of(LONGEST_KEY).pointerKey()).hasSize(900);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "names/a.git/other",
        "names/.git",
        "names/git",
        "names/a",
        "objects/a.git",
        "names/a%2.git",
        "names/a%zz.git",
        "names/%61.git",
        "names/a%2f.git",
        "names/%C3.git",
        "names/gr%EF%BF%BDn.git",
        "names/a//b.git",
        "names/a.git/b.git",
        "names/a b.git"
      })
  void key_that_no_name_makes_has_no_name(String key) {
    assertThat(RepositoryName.fromPointerKey(key)).isEmpty();
  }
}

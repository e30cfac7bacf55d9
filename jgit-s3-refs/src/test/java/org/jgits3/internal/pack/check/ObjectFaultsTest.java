// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names in trees, each as {@code git fsck} takes it. */
class ObjectFaultsTest {
  private static final ObjectId TREE = ObjectId.fromString("1".repeat(40));

  /** Number of files in a tree with one file that are to be checked as {@code .gitmodules}. */
  private static int modules(String name) throws CorruptObjectException {
    ByteArrayOutputStream tree = new ByteArrayOutputStream();
    tree.writeBytes(("100644 " + name + "\0").getBytes(UTF_8));
    tree.writeBytes("2".repeat(Constants.OBJECT_ID_LENGTH).getBytes(UTF_8));
    ObjectChecker checker = new ObjectChecker();
    checker.check(TREE, Constants.OBJ_TREE, tree.toByteArray());
    ObjectFaults.check(checker, TREE, Constants.OBJ_TREE, tree.toByteArray());
    return checker.getGitsubmodules().size();
  }

  /** Git takes for the short name what begins with up to six of its characters. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        ".gitmodules",
        "gitmod~4 .",
        "gi7eba~1",
        "gi7eb~10",
        "gi7e~123",
        "gi7eb~10. ",
        "g~123456",
        "~1234567",
        "~1000000.",
        "a\\gi7eb~10"
      })
  void names_that_git_takes_for_gitmodules(String name) throws CorruptObjectException {
    assertThat(modules(name)).isEqualTo(1);
  }

  /** Characters beyond ASCII that Java's upper case makes letters of ASCII. */
  @ParameterizedTest
  @ValueSource(strings = {".gıt", ".gitmoduleſ", "gi7eb~01", "gitmod~5"})
  void names_that_git_takes_for_nothing_else(String name) throws CorruptObjectException {
    assertThat(modules(name)).isZero();
  }
}

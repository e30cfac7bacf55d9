// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Assertions about a served repository, by real Git. They hold after every operation. */
public final class GitAssertions {
  private static final AtomicInteger CLONES = new AtomicInteger();

  private GitAssertions() {}

  /**
   * A fresh clone is sound, and has the very refs that the server lists.
   *
   * @param git client to clone with
   * @param url the repository; not relative
   * @return the clone, bare, with all refs
   */
  public static GitClient assertSound(GitClient git, String url) {
    String directory = "sound-" + CLONES.incrementAndGet() + ".git";
    git.run("clone", "-q", "--mirror", url, directory);
    GitClient clone = git.at(directory);
    assertIntact(clone);
    assertSameRefs(clone, url);
    return clone;
  }

  /**
   * All objects of a local repository are there and well formed.
   *
   * @param local client in the repository
   */
  public static void assertIntact(GitClient local) {
    GitResult fsck = local.attempt("fsck", "--full", "--strict", "--no-progress", "--no-dangling");
    assertThat(fsck.ok() && fsck.stdout().isBlank() && fsck.stderr().isBlank())
        .as("fsck --full --strict: %s", fsck)
        .isTrue();
  }

  /**
   * Both sides have the same refs with the same values, annotated tags peeled alike.
   *
   * @param local client in a bare repository
   * @param url the served repository
   */
  public static void assertSameRefs(GitClient local, String url) {
    assertThat(served(local, url)).as("refs of %s", url).isEqualTo(localRefs(local));
  }

  private static List<String> served(GitClient git, String url) {
    return git.run("ls-remote", url)
        .lines()
        .map(line -> line.replace('\t', ' '))
        .filter(line -> !line.endsWith(" HEAD"))
        .sorted()
        .toList();
  }

  private static List<String> localRefs(GitClient local) {
    // Exit code 1 means that there are no refs.
    return local.attempt("show-ref", "--dereference").lines().stream().sorted().toList();
  }
}

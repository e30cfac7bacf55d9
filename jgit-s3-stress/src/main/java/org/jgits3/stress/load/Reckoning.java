// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.verify.Verification;

/** Compares what is there after a restart with what clients saw as done. Used by one thread. */
final class Reckoning {
  private final S3RepositoryManager manager;
  private final Ledger ledger;
  private final GitClient git;
  private final UnaryOperator<String> urls;
  private final List<String> lost = new ArrayList<>();

  /**
   * Creates a comparison.
   *
   * @param manager the repositories
   * @param ledger what clients saw
   * @param git the git
   * @param urls URL of a repository by its name
   */
  Reckoning(S3RepositoryManager manager, Ledger ledger, GitClient git, UnaryOperator<String> urls) {
    this.manager = manager;
    this.ledger = ledger;
    this.git = git;
    this.urls = urls;
  }

  /** Returns a line for each thing that is not as it should be. */
  List<String> lost() throws IOException, InterruptedException {
    for (String name : manager.list()) {
      List<Ledger.Branch> branches =
          ledger.branches().stream().filter(b -> b.repository().equals(name)).toList();
      compare(name, branches);
      new Verification(manager, NullProgressMonitor.INSTANCE)
          .run(name)
          .findings()
          .forEach(f -> lost.add("lost: " + name + ": " + f.key() + ": " + f.problem()));
      cloneAndCheck(name, branches);
    }
    return lost;
  }

  private void compare(String name, List<Ledger.Branch> branches)
      throws IOException, InterruptedException {
    String listed = git.run(git.home(), "ls-remote", urls.apply(name), "refs/heads/*");
    Map<String, String> values =
        listed
            .lines()
            .map(line -> line.split("\trefs/heads/", 2))
            .collect(Collectors.toMap(words -> words[1], words -> words[0]));
    for (Ledger.Branch branch : branches) {
      Optional<String> value = Optional.ofNullable(values.get(branch.name()));
      if (!ledger.explains(branch, value)) {
        List<String> pushed = ledger.acknowledged(branch);
        lost.add(
            "lost: %s of %s is %s, and was pushed as %s"
                .formatted(
                    branch.name(), name, value.orElse("missing"), pushed.get(pushed.size() - 1)));
      }
    }
  }

  private void cloneAndCheck(String name, List<Ledger.Branch> branches)
      throws IOException, InterruptedException {
    Path clone = git.home().resolve("clone-of-" + name);
    GitClient.Ended checked = git.cloneAndCheck(urls.apply(name), clone, GitAttempts.LIMIT);
    if (!checked.succeeded()) {
      lost.add("lost: a clone of " + name + ": " + checked.printed() + checked.errors());
      return;
    }
    String ids =
        branches.stream()
            .flatMap(branch -> ledger.acknowledged(branch).stream())
            .map(id -> id + "\n")
            .collect(Collectors.joining());
    git.run(clone, stdin -> stdin.write(ids.getBytes(US_ASCII)), "cat-file", "--batch-check")
        .lines()
        .filter(line -> line.endsWith(" missing"))
        .forEach(line -> lost.add("lost: " + name + ": " + line));
    ScratchDirectory.delete(clone);
  }
}

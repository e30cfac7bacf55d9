// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.process.ScratchDirectory;

/** Fetches branches that others push to, and checks that it gets what they saw as done. */
final class FetchClient implements Client {
  /** Fetches into one repository, which grows. */
  private static final int FETCHES = 10;

  private final GitAttempts attempts;
  private final Ledger ledger;
  private final Path clone;
  private final UnaryOperator<String> urls;
  private final SplittableRandom random;
  private int fetches;

  /**
   * Creates a client.
   *
   * @param attempts the git
   * @param ledger pushes of others
   * @param clone its repository
   * @param urls URL of a repository by its name
   * @param random chooses branches
   */
  FetchClient(
      GitAttempts attempts,
      Ledger ledger,
      Path clone,
      UnaryOperator<String> urls,
      SplittableRandom random) {
    this.attempts = attempts;
    this.ledger = ledger;
    this.clone = clone;
    this.urls = urls;
    this.random = random;
  }

  @Override
  public void step() throws IOException, InterruptedException {
    List<Ledger.Branch> branches = ledger.branches();
    Ledger.Branch branch = branches.get(random.nextInt(branches.size()));
    List<String> pushed = ledger.acknowledged(branch);
    String newest = pushed.get(pushed.size() - 1);
    empty();
    String name = "refs/heads/" + branch.name();
    attempts.run(Operation.FETCH, clone, "fetch", "-q", urls.apply(branch.repository()), name);
    GitClient.Ended ended =
        attempts
            .git()
            .attempt(clone, GitAttempts.LIMIT, "merge-base", "--is-ancestor", newest, "FETCH_HEAD");
    if (!ended.succeeded()) {
      throw new IOException("a fetch of " + branch + " lacks " + newest + ": " + ended.errors());
    }
  }

  private void empty() throws IOException, InterruptedException {
    if (fetches++ % FETCHES == 0) {
      ScratchDirectory.delete(clone);
      Files.createDirectories(clone.getParent());
      attempts.git().run(clone.getParent(), "init", "-q", "--bare", clone.toString());
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.ServerJvm;

/** The clients of a server. Not safe for use by many threads; its clients are, one each. */
final class Crowd implements Closeable {
  static final String CLONED = "cloned";
  static final String LISTED = "listed";
  static final String REFS = "refs/heads/branch-";

  /** Pushers to one repository. */
  private static final int SHARE = 4;

  private static final int SMALLEST_PUSH = 10_000;
  private static final int SLOW_PUSH = 16_000;

  private final LoadPlan plan;
  private final ServerJvm server;
  private final Path directory;
  private final GitAttempts attempts;
  private final Ledger ledger;
  private final SplittableRandom random;
  private final SlowProxy slowly;
  private final SilentProxy silently;
  private final List<Client> pushers = new ArrayList<>();
  private final List<Client> readers = new ArrayList<>();
  private final List<Client> slow = new ArrayList<>();
  private final List<Client> silent = new ArrayList<>();

  /**
   * Makes the clients of a plan.
   *
   * @param plan their number, and sizes
   * @param server the server
   * @param directory where they have their repositories
   * @param git the git
   * @param tally where operations are counted
   * @param ledger where pushes are noted
   * @param goesOn whether the run goes on
   */
  Crowd(
      LoadPlan plan,
      ServerJvm server,
      Path directory,
      GitClient git,
      Tally tally,
      Ledger ledger,
      BooleanSupplier goesOn)
      throws IOException {
    this.plan = plan;
    this.server = server;
    this.directory = directory;
    this.attempts = new GitAttempts(git, tally);
    this.ledger = ledger;
    this.random = new SplittableRandom(plan.seed());
    this.slowly = SlowProxy.start(server.uri());
    this.silently = SilentProxy.start(server.uri());
    for (int i = 0; i < plan.clients() - plan.slow() - 2 * plan.silent(); i++) {
      addQuick(i);
    }
    for (int i = 0; i < plan.slow(); i++) {
      slow.add(
          i % 2 == 0
              ? push(slowly.uri() + "/", Operation.SLOW_PUSH, "slow" + i, () -> SLOW_PUSH, ledger)
              : new SlowReader(tally, Listing.of(server.url(LISTED), REFS), goesOn));
    }
    for (int i = 0; i < plan.silent(); i++) {
      PushClient push =
          push(
              silently.uri() + "/",
              Operation.SILENT,
              "silent" + i,
              () -> SilentProxy.PUSH,
              new Ledger());
      silent.add(new SilentClient(push, tally));
      silent.add(
          new SilentReader(tally, Listing.of(server.url(LISTED), REFS), plan.sizes().refs()));
    }
  }

  /** Of 11 clients 4 push, 3 fetch, 2 clone and 2 list. */
  private void addQuick(int i) throws IOException {
    Path own = directory.resolve("client" + i);
    SplittableRandom choices = random.split();
    switch (i % 11) {
      case 0, 3, 6, 9 ->
          pushers.add(
              push(server.uri().toString(), Operation.PUSH, "c" + i, sizes(choices), ledger));
      case 1, 4, 7 -> readers.add(new FetchClient(attempts, ledger, own, server::url, choices));
      case 2, 8 -> readers.add(new CloneClient(attempts, server.url(CLONED), own));
      default ->
          readers.add(
              new LsRefsClient(attempts.tally(), server.url(LISTED), REFS, plan.sizes().refs()));
    }
  }

  private PushClient push(
      String base, Operation operation, String branch, IntSupplier sizes, Ledger notes) {
    String repository = "pushed" + pushers.size() / SHARE;
    return new PushClient(
        attempts,
        operation,
        notes,
        directory.resolve(branch),
        base + repository + ".git",
        new Ledger.Branch(repository, branch),
        random.split(),
        sizes);
  }

  /** Sizes of pushes, most of them small: their logarithms are cubes of what is evenly drawn. */
  private IntSupplier sizes(SplittableRandom choices) {
    double most = (double) plan.sizes().largestPush() / SMALLEST_PUSH;
    return () -> (int) (SMALLEST_PUSH * Math.pow(most, Math.pow(choices.nextDouble(), 3)));
  }

  List<Client> pushers() {
    return pushers;
  }

  /** Returns those that fetch, clone and list. */
  List<Client> readers() {
    return readers;
  }

  List<Client> slow() {
    return slow;
  }

  List<Client> silent() {
    return silent;
  }

  @Override
  public void close() throws IOException {
    slowly.close();
    silently.close();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.git.GitClient;
import org.jgits3.fleet.Fleet;
import org.jgits3.fleet.FleetPass;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.http.GitHttpServer;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;

/**
 * The operations that have a budget, on real repositories in one store. Each method is one of them,
 * in processes of its own; none depends on another having run. Used by one thread.
 */
final class Operations {
  /** Refs of the repository that is looked up in, beside those of its source. */
  private static final int REFS = 10_000;

  private static final int BATCH = 1000;
  private static final String MAIN = "refs/heads/main";
  private static final String NAME = "requests";
  private static final String VALIDATE = "[s3 \"refs\"]\n\tvalidate = ";

  private final String config;
  private final Path source;
  private final Path scratch;
  private final GitClient git;

  /**
   * Operations on a repository that is made from another one.
   *
   * @param config text that leads to an empty store
   * @param source a bare repository on disk
   * @param scratch directory for clones; it exists
   * @param git the client
   */
  Operations(String config, Path source, Path scratch, GitClient git) {
    this.config = config;
    this.source = source;
    this.scratch = scratch;
    this.git = git;
  }

  private CountedProcess process(String validate) throws IOException {
    return CountedProcess.start(config + VALIDATE + validate + "\n");
  }

  private CountedProcess process() throws IOException {
    return process("always");
  }

  /** Makes the repository: imported, with many refs in a snapshot, and collected. */
  void prepare() throws IOException {
    try (CountedProcess process = process();
        ImportSource from = ImportSource.open(source.toString())) {
      new Importer(process.manager(), NullProgressMonitor.INSTANCE)
          .run(from, RepositoryName.of(NAME));
      try (S3Repository repository = process.manager().openRepository(NAME)) {
        create(repository, main(repository), "refs/changes/", REFS);
      }
    }
    collect();
  }

  private void collect() throws IOException {
    try (CountedProcess process = process();
        S3Repository repository = process.manager().openRepository(NAME)) {
      repository.getRefDatabase().compact();
      process.manager().maintenance(NAME).collectGarbage(NullProgressMonitor.INSTANCE);
    }
  }

  /** Bytes of the packs of the repository. */
  long packBytes() throws IOException {
    try (CountedProcess process = process();
        S3Repository repository = process.manager().openRepository(NAME)) {
      return repository.manifest().packs().stream()
          .flatMap(pack -> pack.files().entrySet().stream())
          .filter(file -> file.getKey().equals("pack"))
          .mapToLong(file -> file.getValue().size())
          .sum();
    }
  }

  private static void create(S3Repository repository, ObjectId target, String prefix, int count)
      throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    for (int i = 0; i < count; i++) {
      batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), target, prefix + i));
    }
    try (RevWalk walk = new RevWalk(repository)) {
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    }
    check(
        batch.getCommands().stream().allMatch(c -> c.getResult() == ReceiveCommand.Result.OK),
        "a batch was refused");
  }

  private static void check(boolean holds, String otherwise) throws IOException {
    if (!holds) {
      throw new IOException(otherwise);
    }
  }

  private static ObjectId main(S3Repository repository) throws IOException {
    Ref main = repository.exactRef(MAIN);
    check(main != null, MAIN + " is missing");
    return main.getObjectId();
  }

  /** Does an operation and says what it took. */
  Cost costOf(BudgetedOperation operation) throws IOException, InterruptedException {
    return switch (operation) {
      case LOOKUP_UNCHANGED -> lookUpAgain("always");
      case LOOKUP_IN_WINDOW -> lookUpAgain("1 h");
      case LOOKUP_COLD -> lookUpCold();
      case BATCH_UPDATE -> batchUpdate();
      case SMALL_PUSH -> smallPush();
      case NOOP_FETCH -> noopFetch();
      case COLD_CLONE -> coldClone();
      case FOREIGN_COMPACTION -> foreignCompaction();
      case LISTING_COLD -> listingCold();
      case LS_REMOTE_COLD -> lsRemoteCold();
      case CREATE -> create();
      case DELETE -> delete();
      case FORK -> fork();
      case IDLE_COLLECTIONS -> idleCollections();
      case IDLE_SWEEPS -> idleSweeps();
    };
  }

  private Cost lookUpAgain(String validate) throws IOException, InterruptedException {
    try (CountedProcess process = process(validate);
        S3Repository repository = process.manager().openRepository(NAME)) {
      main(repository);
      return process.cost(() -> main(repository));
    }
  }

  private Cost lookUpCold() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      return process.cost(
          () -> {
            try (S3Repository repository =
                process.manager().openRepository(NAME, Purpose.request())) {
              main(repository);
            }
          });
    }
  }

  private Cost batchUpdate() throws IOException, InterruptedException {
    try (CountedProcess process = process();
        S3Repository repository = process.manager().openRepository(NAME)) {
      ObjectId target = main(repository);
      create(repository, target, "refs/before/", 1);
      return process.cost(() -> create(repository, target, "refs/batch/", BATCH));
    }
  }

  private Cost smallPush() throws IOException, InterruptedException {
    try (CountedProcess process = process();
        GitHttpServer server = GitHttpServer.builder().start(process.manager())) {
      Path work = clone(server);
      commitAndPush(work, "first");
      return process.cost(() -> commitAndPush(work, "second"));
    }
  }

  private Cost noopFetch() throws IOException, InterruptedException {
    try (CountedProcess process = process();
        GitHttpServer server = GitHttpServer.builder().start(process.manager())) {
      Path work = clone(server);
      return process.cost(() -> git.run(work, "fetch", "-q"));
    }
  }

  private Cost coldClone() throws IOException, InterruptedException {
    collect();
    try (CountedProcess process = process();
        GitHttpServer server = GitHttpServer.builder().start(process.manager())) {
      return process.cost(() -> clone(server));
    }
  }

  /** A fresh clone of the branches. */
  private Path clone(GitHttpServer server) throws IOException, InterruptedException {
    Path work = Files.createTempDirectory(scratch, "work");
    git.run(scratch, "clone", "-q", "-n", server.uri() + NAME + ".git", work.toString());
    return work;
  }

  private void commitAndPush(Path work, String message) throws IOException, InterruptedException {
    git.run(work, "commit", "-q", "--allow-empty", "-m", message);
    git.run(work, "push", "-q", "origin", "HEAD:" + MAIN);
  }

  private Cost foreignCompaction() throws IOException, InterruptedException {
    try (CountedProcess elsewhere = process();
        S3Repository there = elsewhere.manager().openRepository(NAME);
        CountedProcess process = process();
        S3Repository here = process.manager().openRepository(NAME)) {
      move(there, "refs/changes/1");
      main(here);
      there.getRefDatabase().compact();
      return process.cost(() -> main(here));
    }
  }

  private Cost listingCold() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      return process.cost(
          () -> {
            try (S3Repository repository =
                process.manager().openRepository(NAME, Purpose.request())) {
              check(repository.getRefDatabase().getRefs().size() > REFS, "refs are missing");
            }
          });
    }
  }

  private Cost lsRemoteCold() throws IOException, InterruptedException {
    try (CountedProcess process = process();
        GitHttpServer server = GitHttpServer.builder().start(process.manager())) {
      return process.cost(() -> git.run(scratch, "ls-remote", "-q", server.uri() + NAME + ".git"));
    }
  }

  private Cost create() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      return process.cost(() -> process.manager().createRepository("created").close());
    }
  }

  private Cost delete() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      process.manager().createRepository("deleted").close();
    }
    try (CountedProcess process = process()) {
      return process.cost(() -> process.manager().delete("deleted"));
    }
  }

  private Cost fork() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      S3RepositoryManager manager = process.manager();
      try (ImportSource from = ImportSource.template(manager, RepositoryName.of(NAME))) {
        new Importer(manager, NullProgressMonitor.INSTANCE)
            .run(from, RepositoryName.of("template"));
      }
      manager.fork("template", "first").close();
      return process.cost(() -> manager.fork("template", "second").close());
    }
  }

  private Cost idleCollections() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      S3RepositoryManager manager = process.manager();
      try (FleetPass pass = new Fleet(manager).collectionPass(true)) {
        for (var id = pass.next(); id.isPresent(); id = pass.next()) {
          String name = manager.nameOf(id.get()).orElseThrow();
          pass.done(
              id.get(),
              manager.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE).settled());
        }
        pass.save();
      }
      return process.cost(() -> isIdle(new Fleet(manager).collectionPass(false)));
    }
  }

  private Cost idleSweeps() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      S3RepositoryManager manager = process.manager();
      for (int i = 0; i < 2; i++) { // the first one leaves a mark
        try (FleetPass pass = new Fleet(manager).sweepPass(true)) {
          for (var id = pass.next(); id.isPresent(); id = pass.next()) {
            pass.done(id.get(), manager.sweepById(id.get(), Duration.ZERO, false).settled());
          }
          pass.save();
        }
      }
      return process.cost(() -> isIdle(new Fleet(manager).sweepPass(false)));
    }
  }

  private static void isIdle(FleetPass pass) throws IOException {
    try (pass) {
      check(pass.next().isEmpty(), "a repository is not idle");
    }
  }

  /** Manifests whose version a listing does not tell. */
  int unversioned() throws IOException {
    int[] unversioned = new int[1];
    try (CountedProcess process = process()) {
      process
          .manager()
          .store()
          .list(
              ObjectNames.MANIFESTS,
              object -> unversioned[0] += object.version().isEmpty() ? 1 : 0);
    }
    return unversioned[0];
  }

  private static void move(S3Repository repository, String name) throws IOException {
    ObjectId main = main(repository);
    RefUpdate update = repository.updateRef(name);
    update.setForceUpdate(true);
    try (RevWalk walk = new RevWalk(repository)) {
      update.setNewObjectId(walk.parseCommit(main).getParent(0));
    }
    RefUpdate.Result result = update.update();
    check(
        Arrays.asList(RefUpdate.Result.FORCED, RefUpdate.Result.FAST_FORWARD).contains(result),
        name + ": " + result);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.requests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;
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
import org.jgits3.bench.refs.RefBatch;
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
 *
 * @param config text that leads to an empty store
 * @param source a bare repository on disk, which the one in the store is made from
 * @param scratch directory for clones; it exists
 * @param git the client
 */
record Operations(String config, Path source, Path scratch, GitClient git) {
  /** Refs of the repository that is looked up in, beside those of its source. */
  private static final int REFS = 10_000;

  private static final int BATCH = 1000;
  private static final String MAIN = "refs/heads/main";
  private static final String NAME = "requests";
  private static final String VALIDATE = "[s3 \"refs\"]\n\tvalidate = ";

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
    RefBatch.execute(
        repository,
        IntStream.range(0, count)
            .mapToObj(i -> new ReceiveCommand(ObjectId.zeroId(), target, prefix + i))
            .toList());
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

  Cost lookUpAgain(String validate) throws IOException, InterruptedException {
    try (CountedProcess process = process(validate);
        S3Repository repository = process.manager().openRepository(NAME)) {
      main(repository);
      return process.cost(() -> main(repository));
    }
  }

  Cost lookUpCold() throws IOException, InterruptedException {
    return cold(Operations::main);
  }

  Cost listingCold() throws IOException, InterruptedException {
    return cold(
        repository ->
            check(repository.getRefDatabase().getRefs().size() > REFS, "refs are missing"));
  }

  /** Something that is asked of a repository. */
  @FunctionalInterface
  private interface Question {
    void ask(S3Repository repository) throws IOException;
  }

  private Cost cold(Question question) throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      return process.cost(
          () -> {
            try (S3Repository repository =
                process.manager().openRepository(NAME, Purpose.request())) {
              question.ask(repository);
            }
          });
    }
  }

  Cost batchUpdate() throws IOException, InterruptedException {
    try (CountedProcess process = process();
        S3Repository repository = process.manager().openRepository(NAME)) {
      ObjectId target = main(repository);
      create(repository, target, "refs/before/", 1);
      return process.cost(() -> create(repository, target, "refs/batch/", BATCH));
    }
  }

  Cost smallPush() throws IOException, InterruptedException {
    try (CountedProcess process = process();
        GitHttpServer server = GitHttpServer.builder().start(process.manager())) {
      Path work = clone(server);
      commitAndPush(work, "first");
      return process.cost(() -> commitAndPush(work, "second"));
    }
  }

  Cost noopFetch() throws IOException, InterruptedException {
    try (CountedProcess process = process();
        GitHttpServer server = GitHttpServer.builder().start(process.manager())) {
      Path work = clone(server);
      return process.cost(() -> git.run(work, "fetch", "-q"));
    }
  }

  Cost coldClone() throws IOException, InterruptedException {
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

  Cost foreignCompaction() throws IOException, InterruptedException {
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

  Cost lsRemoteCold() throws IOException, InterruptedException {
    try (CountedProcess process = process();
        GitHttpServer server = GitHttpServer.builder().start(process.manager())) {
      return process.cost(() -> git.run(scratch, "ls-remote", "-q", server.uri() + NAME + ".git"));
    }
  }

  Cost create() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      return process.cost(() -> process.manager().createRepository("created").close());
    }
  }

  Cost delete() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      process.manager().createRepository("deleted").close();
    }
    try (CountedProcess process = process()) {
      return process.cost(() -> process.manager().delete("deleted"));
    }
  }

  Cost fork() throws IOException, InterruptedException {
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

  Cost idleCollections() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      S3RepositoryManager manager = process.manager();
      try (FleetPass pass = new Fleet(manager).collectionPass(true)) {
        for (var id = pass.next(); id.isPresent(); id = pass.next()) {
          String name = manager.nameOf(id.get()).orElseThrow();
          pass.done(
              id.get(),
              manager.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE).upToDate());
        }
        pass.save();
      }
      return process.cost(() -> isIdle(new Fleet(manager).collectionPass(false)));
    }
  }

  Cost idleSweeps() throws IOException, InterruptedException {
    try (CountedProcess process = process()) {
      S3RepositoryManager manager = process.manager();
      for (int i = 0; i < 2; i++) { // the first one leaves a mark
        try (FleetPass pass = new Fleet(manager).sweepPass(true)) {
          for (var id = pass.next(); id.isPresent(); id = pass.next()) {
            pass.done(id.get(), manager.sweepById(id.get(), Duration.ZERO, false).upToDate());
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

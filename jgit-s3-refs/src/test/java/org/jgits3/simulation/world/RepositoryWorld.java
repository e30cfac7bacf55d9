// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.history.Transaction;
import org.jgits3.history.Transactions;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.simulation.Scheduler;
import org.jgits3.store.ArraysObjectStore.Stored;

/** Processes with a manager each, which use one repository through JGit and maintain it. */
abstract class RepositoryWorld extends ProcessesWorld {
  static final String NAME = "r";
  static final String OTHER = "s";

  private static final Map<Class<?>, Image> IMAGES = new HashMap<>();

  private Config config;

  /** What all runs of a world begin with. */
  private record Image(Map<String, Stored> objects, Map<String, List<String>> log) {}

  /** Adds what all runs begin with. */
  abstract void begin(S3RepositoryManager manager) throws IOException;

  /** Does one thing that a process of a run does. */
  abstract void act(S3RepositoryManager manager) throws IOException;

  /** Checks what is there at the end. */
  abstract void check(S3RepositoryManager manager) throws IOException;

  private void set(Scheduler of, String prefix) throws ConfigInvalidException {
    begin(of, prefix);
    config = new Config();
    config.fromText(
        "[pack]\nthreads = 1\n[gc]\npruneExpire = now\n[s3]\ncommitDeadline = "
            + (random.nextInt(4) == 0 ? "200 ms" : "20 s")
            + "\n");
    DfsBlockCache.reconfigure(
        new DfsBlockCacheConfig().setBlockSize(64 << 10).setBlockLimit(1 << 20));
  }

  @Override
  public final void prepare(Scheduler of) throws Exception {
    set(of, "first");
    try (S3RepositoryManager manager = manager(new Scheduler.Jvm("setup", 0))) {
      manager.createRepository(NAME).close();
      begin(manager);
    }
    IMAGES.put(getClass(), new Image(bucket.image(), history.log()));
  }

  S3RepositoryManager manager(Scheduler.Jvm process) {
    try {
      return new S3RepositoryManager(
          new Client(bucket, process), S3Settings.from(config, "simulation"));
    } catch (ConfigInvalidException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public final void run(Scheduler of) throws Exception {
    set(of, "op");
    Image image = IMAGES.get(getClass());
    history.begin(image.log());
    image.objects().forEach((key, stored) -> bucket.put(key, stored.bytes()));
    bucket.trouble(Trouble.of(random).withoutCopies());
    left = 5 + random.nextInt(10);
    startSome();
    end();
    DfsBlockCache.reconfigure(
        new DfsBlockCacheConfig().setBlockSize(64 << 10).setBlockLimit(1 << 20));
    try (S3RepositoryManager manager = manager(new Scheduler.Jvm("check", 0))) {
      check(manager);
    }
  }

  @Override
  void start() {
    long skew = random.nextInt(3) == 0 ? random.nextLong(10_000_000) - 5_000_000 : 0;
    Scheduler.Jvm process = process(skew);
    start(
        process,
        0,
        () -> {
          S3RepositoryManager manager = manager(process);
          int threads = 1 + random.nextInt(2);
          for (int i = 1; i < threads; i++) {
            start(process, i, () -> work(() -> act(manager)));
          }
          work(() -> act(manager));
        });
  }

  /** Value that an update expects: mostly the one of now, or one of others. */
  String expected(String name, String ref, List<ObjectId> values) {
    Map<String, String> now = history.refs(name);
    return random.nextInt(4) == 0
        ? values.get(random.nextInt(values.size())).name()
        : now == null ? "" : now.getOrDefault(ref, "");
  }

  static ObjectId id(String value) {
    return value.isEmpty() ? ObjectId.zeroId() : ObjectId.fromString(value);
  }

  /** Updates one ref. */
  void update(String name, S3Repository repository, History.Change change) {
    History.Operation operation = history.begin(name, List.of(change));
    try {
      RefUpdate update = repository.updateRef(change.ref());
      update.setRefLogMessage(operation.id(), false);
      update.setForceUpdate(true);
      if (change.expected() != null) {
        update.setExpectedOldObjectId(id(change.expected()));
      }
      RefUpdate.Result result;
      if (change.to().isEmpty()) {
        result = update.delete();
      } else {
        update.setNewObjectId(id(change.to()));
        result = update.update();
      }
      history.end(operation, report(result));
    } catch (UnknownOutcomeException e) {
      history.end(operation, History.Report.UNKNOWN);
    } catch (IOException e) {
      scheduler.trace(e::toString);
      history.end(operation, History.Report.NOT_WRITTEN);
    }
  }

  private static History.Report report(RefUpdate.Result result) {
    return switch (result) {
      case NEW, FORCED, FAST_FORWARD -> History.Report.OK;
      case NO_CHANGE -> History.Report.NO_CHANGE;
      case LOCK_FAILURE, REJECTED -> History.Report.REFUSED;
      case REJECTED_MISSING_OBJECT -> History.Report.NOT_WRITTEN; // it was garbage
      default -> throw new AssertionError("unexpected result " + result);
    };
  }

  /** Updates several refs at once. */
  void batch(String name, S3Repository repository, List<History.Change> changes)
      throws IOException {
    History.Operation operation = history.begin(name, changes);
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    batch.setAtomic(true);
    batch.setAllowNonFastForwards(true);
    batch.setRefLogMessage(operation.id(), false);
    List<ReceiveCommand> commands = new ArrayList<>();
    for (History.Change each : changes) {
      commands.add(new ReceiveCommand(id(each.expected()), id(each.to()), each.ref()));
    }
    batch.addCommand(commands);
    try (RevWalk walk = new RevWalk(repository)) {
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    } catch (IOException e) {
      scheduler.trace(e::toString);
      history.end(operation, History.Report.NOT_WRITTEN);
      return;
    }
    history.end(operation, report(commands));
  }

  private static History.Report report(List<ReceiveCommand> commands) {
    if (commands.stream().allMatch(c -> c.getResult() == ReceiveCommand.Result.OK)) {
      return History.Report.OK;
    }
    if (commands.stream().anyMatch(c -> c.getResult() == ReceiveCommand.Result.OK)) {
      throw new AssertionError("a batch was done in part: " + commands);
    }
    if (commands.stream().anyMatch(c -> String.valueOf(c.getMessage()).contains("unknown"))) {
      return History.Report.UNKNOWN;
    }
    return commands.stream().anyMatch(c -> c.getResult() == ReceiveCommand.Result.LOCK_FAILURE)
        ? History.Report.REFUSED
        : History.Report.NOT_WRITTEN;
  }

  /** Looks all refs up. */
  void list(String name, S3RepositoryManager manager) throws IOException {
    int began = history.now();
    Map<String, String> seen = new TreeMap<>();
    try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
      for (Ref ref : repository.getRefDatabase().getRefsByPrefix("refs/")) {
        seen.put(ref.getName(), ref.getObjectId().name());
      }
    }
    history.looked(name, began, seen);
  }

  /** Looks one ref up in a handle that was opened after a moment. */
  void look(String name, S3Repository repository, int began, String ref) throws IOException {
    Ref found = repository.exactRef(ref);
    history.looked(name, began, ref, found == null ? "" : found.getObjectId().name());
  }

  void sweep(String name, S3RepositoryManager manager) throws IOException {
    scheduler.trace(() -> "sweep");
    manager.sweep(name, Duration.ZERO, false);
  }

  /** Checks that the log has all changes, in their order. */
  void checkLog(String name, S3RepositoryManager manager) throws IOException {
    List<String> found = new ArrayList<>();
    try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
      Transactions all = repository.history().since(0);
      for (Optional<Transaction> next = all.next(); next.isPresent(); next = all.next()) {
        found.add(next.get().message());
      }
      List<String> made = history.log(repository.manifest().repositoryId());
      if (!found.equals(made)) {
        throw new AssertionError("the log has " + found + " instead of " + made);
      }
    }
  }
}

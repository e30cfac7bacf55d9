// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.commit.UnlistedPack;
import org.jgits3.internal.concurrent.FirstFailure;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.refs.S3RefDatabase;
import org.jgits3.internal.refs.snapshot.TableCache;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.metrics.Counters;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.Freshness;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that are committed with a snapshot of their own, and compactions that they cause. */
@Holds(
    "LargeTransaction, ReadSet: A batch keeps its snapshot across competing commits. If they "
        + "could matter, it is prepared again outside the commit loop.")
@Holds("SharedRefs: A snapshot that no manifest lists is never kept in memory for the listed one")
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD) // failing, some would go on for ever
public class LargeBatchTest {
  private static final String MASTER = "refs/heads/master";

  /** More refs than a manifest has room for. */
  private static final int MANY = 3000;

  @TempDir Path directory;

  /** Snapshots that were uploaded. */
  private final AtomicInteger snapshots = new AtomicInteger();

  /** Runs once, after the upload of the next snapshot. */
  private final AtomicReference<IoRunnable> afterSnapshot = new AtomicReference<>(() -> {});

  private DelegatingObjectStore store;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3RepositoryManager elsewhere;
  @AutoClose private S3Repository here;
  private ObjectId first;
  private ObjectId second;

  @BeforeEach
  void create() throws Exception {
    store =
        new DelegatingObjectStore(new DirectoryObjectStore(directory)) {
          @Override
          public void put(String key, byte[] src, int offset, int length) throws IOException {
            super.put(key, src, offset, length);
            if (key.contains("/refs/")) {
              snapshots.incrementAndGet();
              afterSnapshot.getAndSet(() -> {}).run();
            }
          }
        };
    manager = TestRepositories.manager(store);
    elsewhere = TestRepositories.manager(directory);
    here = manager.createRepository("r");
    first = TestRepositories.commit(here, "first");
    second = TestRepositories.commit(here, "second", first);
  }

  private static void delete(S3Repository r, String name) throws IOException {
    assertThat(TestRepositories.delete(r, name)).isEqualTo(RefUpdate.Result.FORCED);
  }

  private BatchRefUpdate creating(RefDatabase refs, int count, IntFunction<String> name) {
    BatchRefUpdate batch = refs.newBatchUpdate();
    for (int i = 0; i < count; i++) {
      batch.addCommand(TestRepositories.creation(name.apply(i), first));
    }
    return batch;
  }

  private void execute(BatchRefUpdate batch) throws IOException {
    TestRepositories.execute(here, batch);
  }

  @Holds("ReadSet: Deciding a batch takes memory for its names only")
  @Test
  void names_with_many_directories_take_no_memory_for_each(@TempDir Path other) throws Exception {
    String said =
        ForkedJvm.run(List.of("-Xmx96m"), DeepNamesProcess.class, other.toString(), "700");
    assertThat(said).isEqualTo("OK");
  }

  /** Creates many refs and executes some more commands, in one batch. Others act at its upload. */
  private BatchRefUpdate executeBeside(
      IoConsumer<S3Repository> others, boolean atomic, ReceiveCommand... more) throws IOException {
    BatchRefUpdate batch = creating(here.getRefDatabase(), MANY, i -> "refs/changes/" + i);
    batch.setAtomic(atomic);
    batch.setAllowNonFastForwards(true);
    batch.addCommand(more);
    try (S3Repository there = elsewhere.openRepository("r")) {
      afterSnapshot.set(() -> others.accept(there));
      execute(batch);
    }
    return batch;
  }

  private static ObjectId theirs(S3Repository there) throws IOException {
    return TestRepositories.commit(there, "theirs");
  }

  /** Asserts that all commands were accepted but that for one ref. */
  private static void assertOkBut(String ref, BatchRefUpdate batch) {
    for (ReceiveCommand c : batch.getCommands()) {
      boolean refused = c.getRefName().equals(ref);
      assertThat(c.getResult())
          .as(c.getRefName())
          .isEqualTo(refused ? ReceiveCommand.Result.LOCK_FAILURE : ReceiveCommand.Result.OK);
    }
  }

  @Test
  void a_batch_refused_after_its_upload_does_not_shut_out_the_refs_there_are() throws Exception {
    force(here, MASTER, first);
    here.getRefDatabase().compact();
    BatchRefUpdate batch =
        executeBeside(
            there -> force(there, MASTER, theirs(there)),
            true,
            new ReceiveCommand(first, second, MASTER));

    assertThat(batch.getCommands())
        .extracting(ReceiveCommand::getResult)
        .contains(ReceiveCommand.Result.LOCK_FAILURE)
        .doesNotContain(ReceiveCommand.Result.OK);
    assertThat(force(here, "refs/heads/next", first)).isEqualTo(RefUpdate.Result.NEW);
    assertThat(here.getRefDatabase().getRefsByPrefix("refs/changes/")).isEmpty();
  }

  /** A batch keeps its snapshot when others change other refs, and that of its refusal. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_batch_keeps_its_snapshot_when_others_change_other_refs(boolean atomic) throws Exception {
    force(here, MASTER, first);
    force(here, "refs/heads/gone", first);
    here.getRefDatabase().compact();
    force(here, "refs/heads/young", first);
    force(here, "ORIG_HEAD", first);
    int before = snapshots.get();
    ReceiveCommand refused = new ReceiveCommand(second, first, MASTER);
    BatchRefUpdate batch =
        executeBeside(
            there -> {
              force(there, MASTER, theirs(there));
              force(there, "refs/heads/new", theirs(there));
              delete(there, "refs/heads/gone");
              delete(there, "refs/heads/young");
              delete(there, "ORIG_HEAD");
            },
            atomic,
            atomic ? new ReceiveCommand[0] : new ReceiveCommand[] {refused});
    assertThat(snapshots.get() - before).isEqualTo(1);
    assertOkBut(MASTER, batch);
    try (S3Repository there = elsewhere.openRepository("r")) {
      for (S3Repository r : List.of(here, there)) {
        assertThat(r.getRefDatabase().getRefsByPrefix("refs/changes/")).hasSize(MANY);
        assertThat(r.exactRef(MASTER).getObjectId()).isEqualTo(theirs(there));
        assertThat(r.exactRef("refs/heads/new").getObjectId()).isEqualTo(theirs(there));
        assertThat(r.getRefDatabase().exactRef("refs/heads/gone", "refs/heads/young", "ORIG_HEAD"))
            .isEmpty();
      }
    }
  }

  @Test
  void a_batch_keeps_the_symbolic_ref_that_others_set_during_its_upload() throws Exception {
    TestRepositories.assertAllOk(
        executeBeside(there -> there.updateRef(Constants.HEAD).link("refs/heads/theirs"), false));
    assertThat(here.exactRef(Constants.HEAD).getTarget().getName()).isEqualTo("refs/heads/theirs");
    assertThat(here.getRefDatabase().getRefsByPrefix("refs/changes/")).hasSize(MANY);
  }

  @Test
  void a_batch_in_whose_way_others_create_a_ref_is_refused_for_that_ref() throws Exception {
    BatchRefUpdate batch =
        executeBeside(there -> force(there, "refs/changes/7/meta", theirs(there)), false);
    assertOkBut("refs/changes/7", batch);
    assertThat(here.exactRef("refs/changes/7")).isNull();
    assertThat(here.getRefDatabase().getRefsByPrefix("refs/changes/")).hasSize(MANY);
  }

  @Test
  void a_batch_that_conflicts_with_a_new_ref_is_decided_outside_the_loop() throws Exception {
    int before = snapshots.get();
    assertOkBut(
        "refs/changes/7",
        executeBeside(there -> force(there, "refs/changes/7", theirs(there)), false));
    assertThat(snapshots.get() - before).as("its own, twice, and none to make room").isEqualTo(2);
  }

  @Test
  void a_batch_with_a_refused_command_is_decided_again_once_that_can_be_done() throws Exception {
    force(here, MASTER, first);
    TestRepositories.assertAllOk(
        executeBeside(
            there -> force(there, MASTER, second),
            false,
            new ReceiveCommand(second, first, MASTER)));
    assertThat(here.exactRef(MASTER).getObjectId()).isEqualTo(first);
  }

  @Test
  void large_batches_of_one_process_go_one_after_the_other() throws Exception {
    int batches = 12;
    ConcurrentTasks.run(
        batches,
        t -> {
          String prefix = "refs/changes/" + t + "/";
          TestRepositories.assertAllOk(
              TestRepositories.createAll(here, first, MANY, i -> prefix + i));
        });

    assertThat(snapshots).hasValue(batches);
    assertThat(here.getRefDatabase().getRefsByPrefix("refs/changes/")).hasSize(batches * MANY);
  }

  static Object[][] longNames() {
    return new Object[][] {
      {199, ("/" + "x".repeat(249)).repeat(5)}, {800, "\u6f22\u5b57".repeat(30)},
    };
  }

  @ParameterizedTest
  @MethodSource("longNames")
  void few_refs_with_names_of_many_bytes_are_a_large_batch_too(int count, String end)
      throws Exception {
    BatchRefUpdate batch = creating(here.getRefDatabase(), count, i -> "refs/heads/" + i + end);
    execute(batch);

    TestRepositories.assertAllOk(batch);
    assertThat(here.getRefDatabase().getRefsByPrefix("refs/heads/")).hasSize(count);
    String name = batch.getCommands().get(7).getRefName();
    assertThat(here.getRefDatabase().getReflogReader(here.exactRef(name)).getLastEntry())
        .satisfies(e -> assertThat(e.getNewId()).isEqualTo(first));
  }

  @Test
  void a_batch_whose_messages_do_not_fit_is_refused() throws Exception {
    BatchRefUpdate batch = creating(here.getRefDatabase(), 600, i -> "refs/heads/" + i);
    for (ReceiveCommand c : batch.getCommands()) {
      c.setRefLogMessage(c.getRefName() + " " + "y".repeat(600), false);
    }
    execute(batch);

    assertThat(batch.getCommands())
        .extracting(ReceiveCommand::getResult)
        .containsOnly(ReceiveCommand.Result.REJECTED_OTHER_REASON);
    assertThat(here.getRefDatabase().getRefsByPrefix("refs/heads/")).isEmpty();
    assertThat(force(here, MASTER, first)).isEqualTo(RefUpdate.Result.NEW);
  }

  private S3RefDatabase refs(Executor background) {
    ManifestCommitter committer =
        StoredManifest.committer(store, RepositoryName.of("r"), ManifestCommitter.DEADLINE);
    SharedRefs shared =
        new SharedRefs(
            store,
            new PackUploads(store, UploadOptions.DEFAULT),
            committer,
            background,
            new Counters(),
            new TableCache(Long.MAX_VALUE, new Counters()));
    return new S3RefDatabase(here, shared, new NothingDropped(), Freshness.ALWAYS);
  }

  static List<Throwable> failures() {
    return List.of(
        new IOException("as if"), new IllegalStateException("as if"), new LinkageError("as if"));
  }

  @Holds(
      "Folding: An update succeeds though no thread is available to compact; a later one compacts")
  @ParameterizedTest
  @MethodSource("failures")
  void an_update_succeeds_though_its_compaction_fails_a_later_one_compacts(Throwable failure)
      throws Exception {
    S3RefDatabase refs = refs(Runnable::run);
    afterSnapshot.set(() -> FirstFailure.rethrow(failure));
    for (int b = 0; snapshots.get() < 2; b++) {
      assertThat(b).as("batches without a second try").isLessThan(10);
      String group = "refs/" + b + "/";
      BatchRefUpdate batch = creating(refs, 300, i -> group + i);
      execute(batch);
      TestRepositories.assertAllOk(batch);
    }
    assertThat(StoredManifest.read(store, "r").refs().tables()).hasSize(1);
  }

  @Holds(
      "Folding: The process whose commit takes overlay or log over a multiple of the threshold "
          + "folds in the background")
  @Test
  void of_several_processes_the_one_folds_whose_commit_makes_it_due() throws Exception {
    AtomicInteger[] scheduled = new AtomicInteger[4];
    S3RefDatabase[] processes = new S3RefDatabase[scheduled.length];
    for (int p = 0; p < processes.length; p++) {
      AtomicInteger mine = new AtomicInteger();
      scheduled[p] = mine;
      processes[p] = refs(task -> mine.incrementAndGet()); // begun, and never over
    }
    for (int b = 0; b < 30; b++) {
      String group = "refs/" + b + "/";
      BatchRefUpdate batch = creating(processes[b % processes.length], 30, i -> group + i);
      execute(batch);
      TestRepositories.assertAllOk(batch);
    }
    Manifest now = StoredManifest.read(store, "r");
    assertThat(Folding.obliges(blank(), now)).as("due").isTrue();
    assertThat(List.of(scheduled).stream().mapToInt(AtomicInteger::get).sum())
        .as("folds of 900 refs, log and overlay")
        .isBetween(1, 2);
  }

  /** A manifest of nothing. */
  private Manifest blank() throws Exception {
    elsewhere.createRepository("blank").close();
    return StoredManifest.read(store, "blank");
  }

  @Holds(
      "SharedRefs, Folding, SharedPacks, ManifestCodec: A change that does not fit is retried "
          + "after one thread has folded log or refs. If packs fill the manifest, the refusal says so.")
  @Test
  void an_update_succeeds_though_nothing_compacts_any_more() throws Exception {
    AtomicInteger compactions = new AtomicInteger();
    S3RefDatabase refs =
        refs(
            task -> {
              if (compactions.getAndIncrement() % 2 == 0) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              throw new RejectedExecutionException("being stopped");
            });
    for (String group : new String[] {"a", "b", "c", "d"}) {
      BatchRefUpdate batch = creating(refs, 300, i -> "refs/" + group + "/" + i);
      execute(batch);
      TestRepositories.assertAllOk(batch);
    }
    assertThat(refs.getRefs()).hasSize(1200);
    assertThat(compactions).as("tried again").hasValueGreaterThan(1);
  }

  /** Of a repository without collections. */
  private static final class NothingDropped implements ObjectPresence {
    @Override
    public void checkComplete(Set<ObjectId> ids, RefDatabase refs) {
      throw new AssertionError();
    }

    @Override
    public boolean mayKnowHidden() {
      return false;
    }

    @Override
    public List<UnlistedPack> unlisted() {
      return List.of();
    }
  }

  /** A process with little memory that creates refs with many directories. */
  static final class DeepNamesProcess {
    private DeepNamesProcess() {}

    /**
     * Executes a batch of which one command is refused, and prints the results of the others.
     *
     * @param args directory of the store, and number of refs
     */
    public static void main(String[] args) throws Exception {
      try (S3RepositoryManager manager = TestRepositories.manager(Path.of(args[0]));
          S3Repository repository = manager.createRepository("r")) {
        ObjectId id = TestRepositories.commit(repository, "first");
        BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
        batch.setAtomic(false);
        List<ReceiveCommand> commands = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
          String name = "refs/" + i + ("/" + "a".repeat(40)).repeat(98);
          commands.add(new ReceiveCommand(ObjectId.zeroId(), id, name));
        }
        batch.addCommand(commands);
        batch.addCommand(new ReceiveCommand(id, ObjectId.zeroId(), "refs/heads/none"));
        TestRepositories.execute(repository, batch);
        commands.stream().map(ReceiveCommand::getResult).distinct().forEach(System.out::println);
      }
    }
  }
}

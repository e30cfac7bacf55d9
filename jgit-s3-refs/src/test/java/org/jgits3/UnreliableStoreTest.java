// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogEntry;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.ConcurrentTasks.Task;
import org.jgits3.store.FaultInjectingObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several processes update the same refs through stores that fail, lose replies, and deliver writes
 * late and twice. Whatever was acknowledged is in the log once, whatever was refused is not.
 */
@Holds("S3RefUpdate: A ref is updated only from the value that the decision was made on")
@Holds("SharedRefs: An acknowledged change is in the log once, a refused one is not")
class UnreliableStoreTest {
  private static final int MANAGERS = 3;
  private static final int THREADS = 3;
  private static final int UPDATES = 25;
  private static final String[] REFS = {"refs/values/a", "refs/values/b"};

  @TempDir Path directory;
  private final Set<ObjectId> acknowledged = ConcurrentHashMap.newKeySet();
  private final Set<ObjectId> refused = ConcurrentHashMap.newKeySet();
  private final Set<ObjectId> unknown = ConcurrentHashMap.newKeySet();

  @Seeds(2)
  void nothing_acknowledged_is_lost_and_nothing_refused_is_applied(long seed) throws Exception {
    List<ObjectId> values = new ArrayList<>();
    try (S3RepositoryManager sound = TestRepositories.manager(directory)) {
      try (S3Repository r = sound.createRepository("r");
          ObjectInserter inserter = r.newObjectInserter()) {
        for (int i = 0; i < MANAGERS * THREADS * UPDATES; i++) {
          values.add(inserter.insert(Constants.OBJ_BLOB, ("value " + i).getBytes(UTF_8)));
        }
        inserter.flush();
      }
      run(seed, values);
      try (S3Repository r = sound.openRepository("r")) {
        checkLogs(r, "seed " + seed);
      }
    }
  }

  private void run(long seed, List<ObjectId> values) throws Exception {
    List<S3RepositoryManager> managers = new ArrayList<>();
    try {
      List<Task> workers = new ArrayList<>();
      for (int m = 0; m < MANAGERS; m++) {
        FaultInjectingObjectStore faulty =
            new FaultInjectingObjectStore(new DirectoryObjectStore(directory), seed + m, 0.15);
        S3RepositoryManager manager = TestRepositories.manager(faulty);
        managers.add(manager);
        for (int t = 0; t < THREADS; t++) {
          int first = (m * THREADS + t) * UPDATES;
          Random random = new Random(seed * 100 + first);
          workers.add(() -> work(manager, values.subList(first, first + UPDATES), random));
        }
      }
      ConcurrentTasks.run(workers);
    } finally {
      for (S3RepositoryManager manager : managers) {
        manager.close();
      }
    }
  }

  private void work(S3RepositoryManager manager, List<ObjectId> values, Random random)
      throws IOException {
    for (ObjectId value : values) {
      try (S3Repository r = open(manager)) {
        update(r, REFS[random.nextInt(REFS.length)], value, random.nextInt(4) == 0);
      }
    }
  }

  private static S3Repository open(S3RepositoryManager manager) throws IOException {
    for (; ; ) {
      try {
        return manager.openRepository("r");
      } catch (StoreException.Unavailable e) {
        // Reads fail as well; nothing was promised, so ask again.
      }
    }
  }

  private void update(S3Repository r, String name, ObjectId value, boolean force)
      throws IOException {
    try {
      Ref now = r.exactRef(name);
      RefUpdate update = r.updateRef(name);
      update.setNewObjectId(value);
      update.setForceUpdate(true); // blobs have no history
      if (!force) {
        update.setExpectedOldObjectId(now == null ? ObjectId.zeroId() : now.getObjectId());
      }
      switch (update.update()) {
        case NEW, FORCED -> acknowledged.add(value);
        case LOCK_FAILURE -> refused.add(value);
        default -> throw new AssertionError("unexpected " + update.getResult());
      }
    } catch (UnknownOutcomeException e) {
      unknown.add(value);
    } catch (StoreException.Unavailable e) {
      refused.add(value); // a read failed before anything was sent
    }
  }

  private void checkLogs(S3Repository r, String seed) throws IOException {
    Set<ObjectId> applied = new HashSet<>();
    for (String name : REFS) {
      ObjectId expected = r.exactRef(name).getObjectId();
      for (ReflogEntry entry : r.getRefDatabase().getReflogReader(name).getReverseEntries()) {
        assertThat(entry.getNewId()).as(seed + ": log of " + name).isEqualTo(expected);
        assertThat(applied.add(entry.getNewId())).as(seed + ": applied once").isTrue();
        expected = entry.getOldId();
      }
      assertThat(expected).as(seed + ": beginning of " + name).isEqualTo(ObjectId.zeroId());
    }
    assertThat(applied).as(seed).containsAll(acknowledged).doesNotContainAnyElementsOf(refused);
    assertThat(acknowledged).as(seed).hasSizeGreaterThan(UPDATES);
    assertThat(acknowledged.size() + refused.size() + unknown.size())
        .isEqualTo(MANAGERS * THREADS * UPDATES);
  }
}

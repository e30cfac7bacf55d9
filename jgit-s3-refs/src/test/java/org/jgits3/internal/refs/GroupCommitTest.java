// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.TestRepositories.update;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.store.StagedStore.Stop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Updates by many threads of a process, of which one is being written while the others arrive. */
class GroupCommitTest {
  private static final int THREADS = 64;

  private final MemoryObjectStore objects = new MemoryObjectStore();
  private final StagedStore store = new StagedStore(objects);
  private final RequestCounts counts = new RequestCounts();
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final Queue<Thread> started = new ConcurrentLinkedQueue<>();
  private final List<S3Repository> handles = new ArrayList<>();
  private S3RepositoryManager manager;
  private ObjectId first;
  private ObjectId second;

  /** The work of one thread with its handle. */
  @FunctionalInterface
  private interface Update {
    Result by(S3Repository handle, int thread) throws IOException;
  }

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(new ObservedObjectStore(store, counts));
    handles.add(manager.createRepository("r"));
    first = TestRepositories.commit(handles.get(0), "first");
    second = TestRepositories.commit(handles.get(0), "second", first);
    while (handles.size() < THREADS) {
      handles.add(manager.openRepository("r"));
    }
    for (S3Repository handle : handles) {
      handle.parseCommit(second);
      handle.parseCommit(first);
    }
  }

  @AfterEach
  void close() throws IOException {
    threads.shutdownNow();
    handles.forEach(S3Repository::close);
    manager.close();
  }

  /**
   * Lets all threads update, each with a handle of its own, while the first one's write waits.
   *
   * @param update what each does
   * @param written how many of the others have something to write
   */
  private List<Result> whileTheFirstIsWritten(int written, Update update) throws Exception {
    Stop write = new Stop();
    store.before(Request.WRITE_MANIFEST, write);
    List<Future<Result>> results = new ArrayList<>();
    results.add(threads.submit(() -> update.by(handles.get(0), 0)));
    write.awaitReached();
    for (int i = 1; i < THREADS; i++) {
      int thread = i;
      results.add(
          threads.submit(
              () -> {
                started.add(Thread.currentThread());
                return update.by(handles.get(thread), thread);
              }));
    }
    awaitSubmitted(written);
    write.release();
    return all(results);
  }

  private static List<Result> all(List<Future<Result>> results)
      throws InterruptedException, ExecutionException {
    List<Result> all = new ArrayList<>();
    for (Future<Result> result : results) {
      all.add(result.get());
    }
    return all;
  }

  /** Waits until the changes of so many threads wait for their turn. */
  private void awaitSubmitted(int count) {
    ConcurrentTasks.waitWhile(
        () -> started.stream().filter(GroupCommitTest::waitsForItsTurn).count() < count);
  }

  private static boolean waitsForItsTurn(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().equals(ManifestCommitter.class.getName())
                    && frame.getMethodName().equals("takeTurn"));
  }

  @Test
  void those_that_wait_are_written_together() throws Exception {
    RequestCounts.Snapshot before = counts.snapshot();
    List<Result> results =
        whileTheFirstIsWritten(
            THREADS - 1, (handle, i) -> update(handle, "refs/heads/" + i, first));

    assertThat(counts.snapshot().since(before)).hasToString("2 requests: 2 PUT_IF");
    assertThat(results).hasSize(THREADS).containsOnly(Result.NEW);
    try (S3RepositoryManager elsewhere = TestRepositories.manager(objects);
        S3Repository r = elsewhere.openRepository("r")) {
      assertThat(r.getRefDatabase().getRefsByPrefix("refs/heads/"))
          .hasSize(THREADS)
          .allSatisfy(ref -> assertThat(ref.getObjectId()).isEqualTo(first));
    }
  }

  @Test
  void each_has_the_result_it_would_have_alone() throws Exception {
    update(handles.get(0), "refs/heads/behind", first);
    update(handles.get(0), "refs/heads/ahead", second);
    update(handles.get(0), "refs/heads/gone", first);
    List<Result> results =
        whileTheFirstIsWritten(
            THREADS - 1 - 3, // three are refused by what is read
            (handle, i) ->
                switch (i) {
                  case 1 -> update(handle, "refs/heads/behind", second);
                  case 2 -> update(handle, "refs/heads/ahead", first);
                  case 3 -> update(handle, "refs/heads/ahead", second);
                  case 4 -> update(handle, "refs/heads/ahead/below", first);
                  case 5 -> TestRepositories.delete(handle, "refs/heads/gone");
                  case 6, 7, 8 -> update(handle, "refs/heads/same", first);
                  default -> update(handle, "refs/heads/" + i, first);
                });

    assertThat(results.subList(1, 6))
        .containsExactly(
            Result.FAST_FORWARD,
            Result.REJECTED,
            Result.NO_CHANGE,
            Result.LOCK_FAILURE,
            Result.FORCED);
    assertThat(results.subList(6, 9))
        .containsOnlyOnce(Result.NEW)
        .isSubsetOf(Result.NEW, Result.LOCK_FAILURE, Result.NO_CHANGE);
    assertThat(results.subList(9, THREADS)).containsOnly(Result.NEW);
  }
}

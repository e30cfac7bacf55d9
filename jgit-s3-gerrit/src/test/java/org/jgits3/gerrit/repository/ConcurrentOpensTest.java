// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Project;
import com.google.gerrit.server.util.RequestContext;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.S3Repository;
import org.jgits3.TestRepositories;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.TwoGerrits;
import org.jgits3.internal.pack.S3ObjDatabase;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads of one request open a project in the same moment. */
@Timeout(60)
class ConcurrentOpensTest extends TwoGerrits {
  private static final Project.NameKey PROJECT = Project.nameKey("a/project");

  @BeforeEach
  void create() throws Exception {
    here.createRepository(PROJECT).close();
  }

  private static Object quarantine(Repository r) throws Exception {
    Field field = S3ObjDatabase.class.getDeclaredField("quarantine");
    field.setAccessible(true);
    return field.get(((S3Repository) r).getObjectDatabase());
  }

  /** Two threads of a request open the project in the same moment. */
  private List<Future<Repository>> openTwice(
      ExecutorService threads, RequestContext context, Repository first) throws Exception {
    List<Future<Repository>> opening = new ArrayList<>();
    List<Thread> started = new CopyOnWriteArrayList<>();
    synchronized (quarantine(first)) { // as a commit or another thread does for a moment
      for (int i = 0; i < 2; i++) {
        opening.add(
            threads.submit(
                () -> {
                  requests.setContext(context);
                  started.add(Thread.currentThread());
                  return here.openRepository(PROJECT);
                }));
      }
      while (started.size() < 2
          || started.stream().anyMatch(t -> t.getState() != Thread.State.BLOCKED)) {
        Thread.sleep(1);
      }
    }
    return opening;
  }

  @Test
  void a_project_is_opened_by_two_threads_while_something_waits() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    RequestContext context = TestSite.begin(requests);
    try (Repository first = here.openRepository(PROJECT)) {
      TestRepositories.commit(first, "waits");
      for (Future<Repository> opening : openTwice(threads, context, first)) {
        opening.get().close();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void a_refused_push_is_forgotten_though_two_threads_opened_the_project() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    RequestContext context = TestSite.begin(requests);
    try (S3Repository first = (S3Repository) here.openRepository(PROJECT)) {
      for (Future<Repository> opening : openTwice(threads, context, first)) {
        opening.get().close();
      }
      PackBytes.ofSize(1000, 1).pushTo(first);
    } finally {
      threads.shutdownNow();
    }
    try (S3Repository r = (S3Repository) there.openRepository(PROJECT)) {
      assertThat(r.manifest().packs()).isEmpty();
    }
  }
}

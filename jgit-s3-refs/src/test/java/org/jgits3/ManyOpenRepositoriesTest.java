// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.ForkedJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Very many repositories are open in one process at the same time, and all work. */
class ManyOpenRepositoriesTest {
  private static final String MAIN = "refs/heads/main";

  /** Threads of a JVM with a manager that has work in the background. */
  private static final int THREADS = 40;

  @Test
  void a_thousand_repositories_are_open_and_work_in_64_MB() throws Exception {
    work(1_000, "-Xmx64m");
  }

  @Test
  @Tag("long") // a_thousand_repositories_are_open_and_work_in_64_MB
  void ten_thousand_repositories_are_open_and_work_in_512_MB() throws Exception {
    work(10_000, "-Xmx512m");
  }

  private static void work(int repositories, String heap) throws Exception {
    List<String> options = List.of(heap, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError");
    assertThat(ForkedJvm.run(options, Open.class, Integer.toString(repositories)))
        .contains(repositories + " work, " + repositories + " work again")
        .endsWith("nothing lives on");
  }

  /** Opens repositories, whose store is in the same memory, and uses each. */
  static final class Open {
    private final S3RepositoryManager manager;
    private final List<S3Repository> open = new ArrayList<>();

    private Open(S3RepositoryManager manager) {
      this.manager = manager;
    }

    public static void main(String[] args) throws Exception {
      try (S3RepositoryManager manager = TestRepositories.manager(new MemoryObjectStore())) {
        manager.maintainInBackground();
        new Open(manager).run(Integer.parseInt(args[0]));
      }
      System.exit(0);
    }

    private void run(int repositories) throws Exception {
      for (int i = 0; i < repositories; i++) {
        open.add(manager.createRepository("team/" + i));
        push(i);
      }
      int work = working();
      int again = working();
      System.out.println(work + " work, " + again + " work again");
      check(Thread.activeCount() <= THREADS, "threads: " + Thread.activeCount());
      check(manager.uploads().buffersInUse() == 0, "buffers of uploads are held");
      check(manager.manifestBudget().held() <= manager.manifestBudget().limit(), "manifests");
      check(manager.indexBudget().held() <= manager.indexBudget().limit(), "indexes");
      open.forEach(S3Repository::close);
      open.clear();
      long deadline = System.nanoTime() + 30_000_000_000L;
      while (manager.repositories().all().size() > manager.repositories().keptNames().size()) {
        check(System.nanoTime() < deadline, "repositories that are not in use live on");
        System.gc();
        Thread.onSpinWait();
      }
      System.out.println("nothing lives on");
    }

    private void push(int i) throws IOException {
      ObjectId commit = TestRepositories.commit(open.get(i), "commit " + i);
      TestRepositories.force(open.get(i), MAIN, commit);
    }

    /** Counts repositories whose pushed commit is there for a handle that was open before. */
    private int working() throws IOException {
      int working = 0;
      for (int i = 0; i < open.size(); i++) {
        push(i);
        ObjectId main = open.get(i).exactRef(MAIN).getObjectId();
        working += open.get(i).getObjectDatabase().has(main) ? 1 : 0;
      }
      return working;
    }

    private static void check(boolean holds, String otherwise) {
      if (!holds) {
        throw new IllegalStateException(otherwise);
      }
    }
  }
}

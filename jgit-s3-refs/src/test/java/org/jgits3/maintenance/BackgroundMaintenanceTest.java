// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.junit.jupiter.api.Test;

/** Bounds of the work that a process does in the background. */
class BackgroundMaintenanceTest extends MaintainedRepository {
  private static final List<RepositoryName> NAMES =
      IntStream.range(0, 10).mapToObj(i -> RepositoryName.of("r" + i)).toList();

  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(NAMES.size());

  /** Holds each repository open until all have been scheduled, and says that it is gone. */
  private Maintenance open(RepositoryName name) throws RepositoryNotFoundException {
    try {
      held.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
    opened.countDown();
    throw new RepositoryNotFoundException(name.value());
  }

  /** Considers all repositories with the same manifest, and returns the names of the threads. */
  private List<String> threads(Optional<Duration> collectAfter, Manifest manifest)
      throws Exception {
    Set<Thread> before = threads();
    try (BackgroundMaintenance maintenance = new BackgroundMaintenance(collectAfter, this::open)) {
      NAMES.forEach(name -> maintenance.consider(name, manifest));
      List<String> started =
          threads().stream()
              .filter(Predicate.not(before::contains))
              .map(Thread::getName)
              .filter(name -> name.startsWith("jgit-s3-"))
              .toList();
      held.countDown();
      assertThat(opened.await(1, TimeUnit.MINUTES)).as("each has its turn").isTrue();
      return started;
    }
  }

  private static Set<Thread> threads() {
    return new HashSet<>(Thread.getAllStackTraces().keySet());
  }

  @Test
  void a_process_collects_one_repository_at_a_time() throws Exception {
    push(3);
    assertThat(threads(Optional.of(Duration.ofNanos(1)), it.manifest()))
        .containsExactly("jgit-s3-collection");
  }

  @Test
  void a_process_merges_packs_of_two_repositories_at_a_time() throws Exception {
    push(40);
    assertThat(threads(Optional.empty(), it.manifest()))
        .isEqualTo(Collections.nCopies(2, "jgit-s3-maintenance"));
  }
}

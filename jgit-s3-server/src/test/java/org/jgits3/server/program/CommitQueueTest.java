// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.testing.SystemProperties;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests of {@link CommitQueue}, with the JGit that is used. */
class CommitQueueTest {
  private static final String PROPERTY = "REVWALK_USE_PRIORITY_QUEUE";

  @AutoClose private final SystemProperties properties = new SystemProperties();

  @Test
  void walks_use_a_heap() throws Exception {
    properties.clear(PROPERTY);
    CommitQueue.useHeap();
    assertThat(queue()).isEqualTo("DateRevPriorityQueue");
  }

  @Test
  void the_choice_of_the_user_stays() throws Exception {
    properties.set(PROPERTY, "false");
    CommitQueue.useHeap();
    assertThat(queue()).isEqualTo("DateRevQueue");
  }

  private static String queue() throws ReflectiveOperationException {
    try (RevWalk walk = new RevWalk(new InMemoryRepository(new DfsRepositoryDescription("r")))) {
      Field queue = RevWalk.class.getDeclaredField("queue");
      queue.setAccessible(true);
      return queue.get(walk).getClass().getSimpleName();
    }
  }
}

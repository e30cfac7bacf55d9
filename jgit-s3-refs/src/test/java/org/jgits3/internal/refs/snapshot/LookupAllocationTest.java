// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefDatabase;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the memory that a look-up without requests allocates: the ref, its id, and the bytes of
 * its name.
 */
class LookupAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Bytes of a look-up of a name of 30 characters; it took 176 when this was written. */
  private static final long BOUND = 200;

  private static final int REFS = 1000;
  private static final int ROUNDS = 20;

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private String[] names;

  @BeforeEach
  void create() throws Exception {
    manager =
        TestRepositories.manager(
            new DirectoryObjectStore(directory), "[s3 \"refs\"]\nvalidate = 1 h");
    repository = manager.createRepository("r");
    ObjectId commit = TestRepositories.commit(repository, "a commit");
    names = new String[REFS];
    Arrays.setAll(names, i -> String.format("refs/changes/%02d/%010d/meta", i % 100, i));
    TestRepositories.createAll(repository, commit, REFS, i -> names[i]);
    repository.getRefDatabase().compact();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/none"})
  void a_hit_or_a_miss_allocates_little_more_than_ref_or_name(String suffix) throws IOException {
    assertThat(allocatedByEach(suffix)).isLessThan(BOUND);
  }

  private long allocatedByEach(String suffix) throws IOException {
    RefDatabase refs = repository.getRefDatabase();
    String[] wanted = new String[REFS];
    for (int i = 0; i < REFS; i++) {
      wanted[i] = names[i] + suffix;
    }
    long allocated = Long.MAX_VALUE;
    for (int i = 0; i < ROUNDS; i++) {
      long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
      int found = 0;
      for (String name : wanted) {
        found += refs.exactRef(name) == null ? 0 : 1;
      }
      long after = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
      assertThat(found).isEqualTo(suffix.isEmpty() ? REFS : 0);
      allocated = Math.min(allocated, (after - before) / REFS);
    }
    return allocated;
  }
}

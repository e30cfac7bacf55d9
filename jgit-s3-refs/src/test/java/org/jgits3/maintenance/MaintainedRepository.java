// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.PackEntry;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a repository that one process maintains while another uses it. */
abstract class MaintainedRepository {
  static final String MAIN = "refs/heads/main";

  @TempDir Path directory;
  @AutoClose MaintenanceFixture it;

  /** Value of the branch. */
  @Nullable private ObjectId last;

  @BeforeEach
  void open() throws Exception {
    it = new MaintenanceFixture(directory);
  }

  Set<String> stored() throws IOException {
    return MaintenanceFixture.stored(it.plain);
  }

  Set<String> listed() throws IOException {
    return MaintenanceFixture.listed(it.manifest());
  }

  /** Pushes a commit of its own to a branch, by a process that uses the repository. */
  void push(String ref) throws IOException {
    try (S3Repository r = it.users.openRepository("r", Purpose.request())) {
      String message = "on " + ref + " " + it.manifest().generation();
      TestRepositories.force(r, ref, TestRepositories.commit(r, message));
    }
  }

  /** Pushes commits to the branch, one after the other; returns the last. */
  ObjectId push(int count) throws IOException {
    return push(it.user, count);
  }

  /** The same through a handle of any process. */
  ObjectId push(S3Repository to, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      ObjectId[] parents = last == null ? new ObjectId[0] : new ObjectId[] {last};
      last = TestRepositories.commit(to, "commit " + it.manifest().generation(), parents);
      TestRepositories.force(to, MAIN, last);
    }
    return last;
  }

  /** Sources of the packs, in order. */
  List<String> sources() throws IOException {
    return it.manifest().packs().stream().map(PackEntry::source).sorted().toList();
  }

  /** Says for how long garbage stays. */
  void expire(String time) throws IOException {
    it.user.scanForRepoChanges();
    TestRepositories.configure(it.user, "gc", "pruneExpire", time);
  }

  /** A process that serves the repository, and maintains it in the background. */
  S3RepositoryManager server() throws Exception {
    S3RepositoryManager server = MaintenanceFixture.manager(new DirectoryObjectStore(directory));
    server.maintainInBackground();
    return server;
  }

  /** Asserts that a dry run has said rightly what a sweep does. */
  static void assertForetold(Sweep.Report dry, Sweep.Report done) {
    assertThat(dry)
        .isEqualTo(
            new Sweep.Report(
                done.sweepBoundary(),
                done.objects(),
                done.bytes(),
                done.uploads(),
                true,
                Optional.empty(),
                Optional.empty()));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.transfer.Restorer;

/**
 * Restores repositories, refs and objects, as they were some time ago. They are restored under a
 * name that no other thread uses, read there, and deleted; the repositories go on. Used by one
 * thread.
 */
final class Restores {
  private static final int MOST_READ = 20;

  private final S3RepositoryManager manager;
  private final Clerk clerk;
  private final RandomGenerator random;
  private final String target;
  private Optional<Manifest> copy = Optional.empty();

  /**
   * A thread's work.
   *
   * @param target name to restore to, which may have what a killed process left
   */
  Restores(S3RepositoryManager manager, Clerk clerk, RandomGenerator random, String target) {
    this.manager = manager;
    this.clerk = clerk;
    this.random = random;
    this.target = target;
  }

  /** Restores from the copy of a manifest that the call before made, and makes the next copy. */
  String restore(String repository) throws IOException {
    Optional<Manifest> before = copy;
    try (S3Repository now = manager.openRepository(repository, Purpose.request())) {
      copy = Optional.of(now.manifest());
    }
    return before.isEmpty() ? "nothing" : restore(before.get());
  }

  private String restore(Manifest before) throws IOException {
    create();
    Restorer.Report report =
        new Restorer(manager, NullProgressMonitor.INSTANCE).run(RepositoryName.of(target), before);
    read(before.repositoryId());
    remove();
    return "ok " + report.packs() + " packs, " + report.changes().size() + " refs";
  }

  private void create() throws IOException {
    try {
      manager.createRepository(target).close();
    } catch (ManifestException.Exists left) {
      remove();
      manager.createRepository(target).close();
    }
  }

  private void remove() throws IOException {
    String id;
    try (S3Repository left = manager.openRepository(target, Purpose.request())) {
      id = left.manifest().repositoryId();
    }
    manager.deleteById(id);
    manager.sweepById(id, Duration.ZERO, false);
  }

  private void read(String repositoryId) throws IOException {
    try (S3Repository restored = manager.openRepository(target, Purpose.request())) {
      List<Ref> refs = new ArrayList<>(restored.getRefDatabase().getRefsByPrefix("refs/heads/"));
      Collections.shuffle(refs, new Random(random.nextLong()));
      for (Ref ref : refs.subList(0, Math.min(MOST_READ, refs.size()))) {
        if (Family.ofRef(repositoryId, ref.getName()).isPresent()) {
          read(restored, ref);
        }
      }
    }
  }

  private void read(S3Repository restored, Ref ref) throws IOException {
    try {
      Commits.check(restored, ref.getObjectId());
    } catch (MissingObjectException | IllegalStateException e) {
      clerk.found("lost: restored " + ref.getName() + ": " + e.getMessage());
    }
  }
}

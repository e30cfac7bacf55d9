// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.Soundness;
import org.jgits3.TestRepositories;
import org.jgits3.TestTemplates;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.maintenance.Sweep;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.StoreContent;

/** A store with a repository {@code r} of two packs and a template {@code t} of it. */
public final class ForkFixture {
  public static final String MAIN = "refs/heads/main";
  public static final ProgressMonitor SILENT = NullProgressMonitor.INSTANCE;

  public final Path directory;
  public final DirectoryObjectStore store;
  public final S3RepositoryManager manager;
  public final ObjectId first;
  public final ObjectId second;

  public ForkFixture(Path directory) throws Exception {
    this.directory = directory;
    this.store = new DirectoryObjectStore(directory);
    this.manager = MaintenanceFixture.manager(store);
    try (S3Repository r = manager.createRepository("r")) {
      first = TestRepositories.commitBlobs(r, 20);
      TestRepositories.force(r, MAIN, first);
      second = TestRepositories.commit(r, "second", first);
      TestRepositories.force(r, MAIN, second);
    }
    template("r", "t");
  }

  /** The same store as another process has it. */
  public DirectoryObjectStore another() throws IOException {
    return new DirectoryObjectStore(directory);
  }

  public void close() throws IOException {
    manager.close();
  }

  public void template(String name, String template) throws IOException {
    TestTemplates.make(manager, name, template);
  }

  public void fork(String name) throws IOException {
    manager.fork("t", name).close();
  }

  public Manifest manifest(String name) throws IOException {
    return StoredManifest.read(store, name);
  }

  public String templateId() throws IOException {
    return manifest("t").repositoryId();
  }

  /** Pushes a commit to a branch of its own, as one pack. */
  public ObjectId push(String name) throws IOException {
    try (S3Repository r = manager.openRepository(name)) {
      int packs = r.manifest().packs().size();
      ObjectId id = TestRepositories.commit(r, "push " + packs, second);
      TestRepositories.force(r, "refs/heads/p" + packs, id);
      return id;
    }
  }

  public List<String> refs(String name) throws IOException {
    try (S3Repository r = manager.openRepository(name)) {
      return TestRepositories.refs(r);
    }
  }

  /** Keys of the objects that are stored under the id of a repository. */
  public Set<String> stored(String repositoryId) throws IOException {
    Set<String> keys = new TreeSet<>(StoreContent.keys(store, ObjectNames.prefix(repositoryId)));
    keys.removeIf(key -> ObjectNames.mintedAtOf(key).isEmpty() || key.contains("/sweep/"));
    return keys;
  }

  public void isSound(String name) throws IOException {
    Soundness.assertSound(manager, name);
  }

  public void sweep(String name) throws IOException {
    manager.sweep(name, Duration.ZERO, false);
  }

  /** Sweeps the repository of an id, which may be deleted. */
  public Sweep.Report sweepById(String repositoryId) throws IOException {
    return manager.sweepById(repositoryId, Duration.ZERO, false);
  }

  public void deleteAndSweep(String name) throws IOException {
    String repositoryId = manifest(name).repositoryId();
    manager.delete(name);
    sweepById(repositoryId);
    assertThat(stored(repositoryId)).as(name).isEmpty();
  }
}

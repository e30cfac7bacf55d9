// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.Set;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.internal.pack.ImportedPack;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.Freshness;

/**
 * Repository of the same store from which a template is made: its refs as of one moment, and one
 * pack of all objects reachable from them. The template shares no stored object with it.
 */
final class TemplateSource extends ImportSource {
  private final S3RepositoryManager manager;
  private final S3Repository repository;
  private PackWriter selection;

  private TemplateSource(S3RepositoryManager manager, S3Repository repository, String name) {
    super(name);
    this.manager = manager;
    this.repository = repository;
  }

  static TemplateSource open(S3RepositoryManager manager, RepositoryName name) throws IOException {
    S3Repository repository = manager.openRepository(name.value(), Purpose.request());
    try {
      Manifest manifest = repository.manifest();
      if (manifest.isTemplate()) {
        throw new IOException(name + " is a template already; fork it");
      }
      if (manifest.isFork()) {
        throw new IOException(
            name + " is a fork; detach it first with jgit-s3 gc --detach, then make a template");
      }
      return new TemplateSource(manager, repository, name.value());
    } catch (IOException | RuntimeException e) {
      repository.close();
      throw e;
    }
  }

  @Override
  void inspect(Config config, ProgressMonitor monitor) throws IOException {
    setRefs(Importer.refsOf(repository));
    selection = Selection.of(repository, refs().tips(), Set.of(), monitor);
  }

  @Override
  void copyObjects(S3Repository target, ProgressMonitor monitor) throws IOException {
    ImportedPack.write(target.getObjectDatabase(), PackSource.GC, selection, monitor);
  }

  @Override
  RevWalk newWalk(S3Repository target) {
    return new RevWalk(repository);
  }

  @Override
  String configText() throws IOException {
    return repository.manifest().settings().config();
  }

  @Override
  @Nullable
  String description() throws IOException {
    return repository.getGitwebDescription();
  }

  @Override
  boolean makesTemplate() {
    return true;
  }

  /** Writes the refs of the target as one table, collects it, and makes it a template. */
  @Override
  void finish(S3Repository target, ProgressMonitor monitor) throws IOException {
    target.getRefDatabase().compact();
    target.maintenance().repack(monitor);
    target.validate(Freshness.ALWAYS);
    Manifest whole = target.manifest();
    if (!Importer.refsOf(target).areThoseOf(refs())) {
      throw new IOException(
          this + ": its copy was changed by others while it was made; repeat the command");
    }
    manager.imports().freeze(target, whole);
  }

  @Override
  public void close() {
    if (selection != null) {
      selection.close();
    }
    repository.close();
  }
}

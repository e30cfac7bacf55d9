// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.RepositoryBuilder;
import org.eclipse.jgit.lib.RepositoryCache.FileKey;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.TagOpt;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.URIish;
import org.eclipse.jgit.util.FS;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;

/**
 * Repository on a disk that one in the store is to be equal to: made by an import, then brought up
 * to date by the objects and refs that are new. Used by one thread.
 */
public final class Mirror {
  private static final RefSpec ALL = new RefSpec("+refs/*:refs/*");

  private final S3RepositoryManager manager;
  private final ProgressMonitor monitor;

  /**
   * Creates a mirror.
   *
   * @param manager target store
   * @param monitor receives progress
   */
  public Mirror(S3RepositoryManager manager, ProgressMonitor monitor) {
    this.manager = manager;
    this.monitor = monitor;
  }

  /**
   * Tests whether a repository has all refs of one on a disk, {@code HEAD} too, and no others.
   *
   * @param directory the one on the disk
   * @param name the one in the store
   * @return true if so
   * @throws IOException if one of the two cannot be read
   */
  public boolean isEqual(Path directory, RepositoryName name) throws IOException {
    try (S3Repository target = manager.openRepository(name.value())) {
      return Importer.refsOf(target).equals(refsOf(directory));
    }
  }

  /**
   * Gives a repository the refs of one on a disk: fetches the objects that are new, and deletes
   * refs that the other does not have. The log keeps their values.
   *
   * @param directory the one on the disk
   * @param name the one in the store, which exists
   * @throws IOException if it could not be done, or the one on the disk has changed meanwhile;
   *     repeat it
   */
  public void update(Path directory, RepositoryName name) throws IOException {
    try (S3Repository target = manager.openRepository(name.value())) {
      fetch(target, directory);
      SourceRefs wanted = refsOf(directory);
      for (Map.Entry<String, String> link : wanted.symbolic().entrySet()) {
        RefUpdate update = target.updateRef(link.getKey());
        Importer.check(link.getKey(), update.link(link.getValue()));
      }
      if (!Importer.refsOf(target).equals(wanted)) {
        throw new IOException(directory + ": has changed meanwhile; give the command again");
      }
    }
  }

  private void fetch(S3Repository target, Path directory) throws IOException {
    URIish uri = new URIish().setPath(directory.toAbsolutePath().toString());
    try (Transport transport = Transport.open(target, uri)) {
      transport.setRemoveDeletedRefs(true);
      transport.setCheckFetchedObjects(true);
      transport.setTagOpt(TagOpt.NO_TAGS);
      transport.fetch(monitor, List.of(ALL));
    }
  }

  private static SourceRefs refsOf(Path directory) throws IOException {
    File gitDir = FileKey.resolve(directory.toAbsolutePath().normalize().toFile(), FS.DETECTED);
    if (gitDir == null) {
      throw new IOException(directory + ": no such Git repository");
    }
    try (Repository repository = new RepositoryBuilder().setGitDir(gitDir).build()) {
      List<Ref> refs =
          new ArrayList<>(repository.getRefDatabase().getRefsByPrefix(Constants.R_REFS));
      Ref head = repository.exactRef(Constants.HEAD);
      if (head != null) {
        refs.add(head);
      }
      return SourceRefs.of(refs);
    }
  }
}

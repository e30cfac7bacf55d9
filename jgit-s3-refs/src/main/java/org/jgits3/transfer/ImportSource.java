// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.URIish;
import org.jgits3.S3Repository;

/**
 * A repository elsewhere that is to be imported: one in a directory, or at a URL that JGit can
 * fetch from. Used by one thread.
 */
public abstract sealed class ImportSource implements Closeable permits LocalSource, RemoteSource {
  private final String name;

  ImportSource(String name) {
    this.name = name;
  }

  /**
   * Finds a repository.
   *
   * @param location path of a repository or of a bundle, or a URL; with a path, also one that
   *     begins with {@code file:}, the directory itself is read
   * @return the source, to be closed
   * @throws IOException if there is none, it cannot be read, or it does not use SHA-1
   */
  public static ImportSource open(String location) throws IOException {
    URIish uri;
    try {
      uri = new URIish(location);
    } catch (URISyntaxException | IllegalArgumentException e) {
      // not with the cause, which names the location, and so a password that may be in it
      throw new IOException(UserInfo.without(location) + ": neither a path nor a URL");
    }
    if (uri.isRemote() || !isPath(uri)) {
      return new RemoteSource(uri);
    }
    Path path = Path.of(uri.getPath());
    if (Files.isRegularFile(path) && !isGitFile(path)) {
      return new RemoteSource(bundle(path));
    }
    return LocalSource.open(path);
  }

  private static boolean isPath(URIish uri) {
    return uri.getPath() != null && (uri.getScheme() == null || uri.getScheme().equals("file"));
  }

  /** A {@code .git} that is a file names the directory, as in a linked working tree. */
  private static boolean isGitFile(Path path) {
    return path.endsWith(".git");
  }

  private static URIish bundle(Path path) throws IOException {
    File file = path.toAbsolutePath().toFile();
    try {
      return new URIish("bundle://" + file.getPath());
    } catch (URISyntaxException e) {
      throw new IOException(path + ": cannot be opened as a bundle", e);
    }
  }

  /** What messages call it: never with a user or a password. */
  @Override
  public String toString() {
    return name;
  }

  /**
   * Refuses a repository without its whole history: JGit's upload-pack does not tell clients where
   * it ends, and so nobody could clone it.
   *
   * @param repository the source, or what has been fetched of it
   */
  final void checkNotShallow(Repository repository) throws IOException {
    int ends = repository.getObjectDatabase().getShallowCommits().size();
    if (ends > 0) {
      throw new IOException(
          this
              + ": is shallow, its history ends at "
              + ends
              + (ends == 1 ? " commit" : " commits")
              + "; complete it with git fetch --unshallow, then import it");
    }
  }

  /**
   * Finds out what there is to import, before anything is written.
   *
   * @param config what {@code [http]} of it says holds on the way there
   * @throws IOException if it cannot be read, something is missing, or it is shallow
   */
  abstract void inspect(Config config, ProgressMonitor monitor) throws IOException;

  /** Its refs, as of {@link #inspect} or, once objects were copied, those whose objects are. */
  abstract SourceRefs refs();

  /** Makes all objects that {@link #refs} lead to objects of the target. */
  abstract void copyObjects(S3Repository target, ProgressMonitor monitor) throws IOException;

  /** A walk over the objects copied. */
  abstract RevWalk newWalk(S3Repository target);

  /** The part of its configuration that moves with it. */
  abstract Config config() throws IOException;

  /** Its description for people. */
  @Nullable
  abstract String description() throws IOException;
}

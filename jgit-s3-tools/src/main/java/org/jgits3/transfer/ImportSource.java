// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.URIish;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;

/**
 * Repository to import: one in a directory, or at a URL that JGit can fetch from. Used by one
 * thread.
 */
public abstract sealed class ImportSource implements Closeable
    permits LocalSource, RemoteSource, TemplateSource {
  private final String name;
  private SourceRefs refs;

  ImportSource(String name) {
    this.name = name;
  }

  /** Time for which the server of a URL may be silent, by default. */
  public static final Duration PATIENCE = Duration.ofMinutes(2);

  /**
   * Finds a repository.
   *
   * @param location path of a repository or of a bundle, or a URL; with a path, also one that
   *     begins with {@code file:}, the directory itself is read
   * @return the source, to be closed
   * @throws IOException if there is none, it cannot be read, or it does not use SHA-1
   */
  public static ImportSource open(String location) throws IOException {
    return open(location, PATIENCE);
  }

  /**
   * Finds a repository.
   *
   * @param location as in {@link #open(String)}
   * @param patience time after which a server that does not accept the connection, or sends
   *     nothing, is given up; at least a second
   * @return the source, to be closed
   * @throws IOException as {@link #open(String)}
   */
  public static ImportSource open(String location, Duration patience) throws IOException {
    URIish uri;
    try {
      uri = new URIish(location);
    } catch (URISyntaxException | IllegalArgumentException e) {
      // without the cause, which names the location, and so any password in it
      throw new IOException(UserInfo.without(location) + ": neither a path nor a URL");
    }
    if (uri.isRemote() || !isPath(uri)) {
      return new RemoteSource(uri, patience);
    }
    Path path = Path.of(uri.getPath());
    if (Files.isRegularFile(path) && !isGitFile(path)) {
      String file = path.toAbsolutePath().toString();
      return new RemoteSource(new URIish().setScheme("bundle").setPath(file), patience);
    }
    return LocalSource.open(path);
  }

  /**
   * Source of a template: a repository of the same store.
   *
   * @param manager manager of the store
   * @param name the repository, as of this call
   * @return the source, to be closed
   * @throws org.eclipse.jgit.errors.RepositoryNotFoundException if there is none
   * @throws IOException if it cannot be read, or is a template or a fork
   */
  public static ImportSource template(S3RepositoryManager manager, RepositoryName name)
      throws IOException {
    return TemplateSource.open(manager, name);
  }

  private static boolean isPath(URIish uri) {
    return uri.getPath() != null && (uri.getScheme() == null || uri.getScheme().equals("file"));
  }

  /**
   * Tests whether a path is a {@code .git} file that names the directory, as in a linked working
   * tree.
   */
  private static boolean isGitFile(Path path) {
    return path.endsWith(".git");
  }

  /** Location for messages, without user and password. */
  @Override
  public String toString() {
    return name;
  }

  /**
   * Reads the refs and checks the source, before anything is written.
   *
   * @param config configuration whose {@code [http]} section applies to the connection
   * @throws IOException if it cannot be read, is incomplete, or is shallow
   */
  abstract void inspect(Config config, ProgressMonitor monitor) throws IOException;

  /**
   * Refs as of {@link #inspect}; after {@link #copyObjects}, the refs whose objects were copied.
   */
  final SourceRefs refs() {
    return refs;
  }

  /** Sets what {@link #refs} returns. */
  final void setRefs(SourceRefs refs) {
    this.refs = refs;
  }

  /** Copies all objects reachable from {@link #refs} to the target. */
  abstract void copyObjects(S3Repository target, ProgressMonitor monitor) throws IOException;

  /** Creates a walk over the copied objects. */
  abstract RevWalk newWalk(S3Repository target);

  /** Text of the configuration that the target gets. */
  abstract String configText() throws IOException;

  /** Tests whether a template is made of it. */
  boolean makesTemplate() {
    return false;
  }

  /**
   * Finishes the target, which has all objects and refs, before it gets its name.
   *
   * @param target the target
   */
  void finish(S3Repository target, ProgressMonitor monitor) throws IOException {}

  /** Description of the repository. */
  @Nullable
  abstract String description() throws IOException;
}

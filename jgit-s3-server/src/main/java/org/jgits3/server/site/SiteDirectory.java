// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.site;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.RepositoryCache.FileKey;
import org.eclipse.jgit.util.FS;

/**
 * The repositories below a directory, by their path without {@code .git}. Symbolic links are
 * followed. Anything that looks like a repository but cannot be used is named with the reason, so
 * that a migration leaves nothing out silently.
 */
public final class SiteDirectory {
  /** Directories that Git makes in a repository; no repositories of the site are below them. */
  private static final Set<String> OF_GIT =
      Set.of("objects", "refs", "logs", "hooks", "info", "branches", "worktrees", "modules");

  private final SortedMap<String, Path> repositories = new TreeMap<>();
  private final SortedMap<String, String> refused = new TreeMap<>();
  private final Set<Path> found = new HashSet<>();
  private final Path root;

  private SiteDirectory(Path root) {
    this.root = root;
  }

  /**
   * Finds all repositories, at least one.
   *
   * @param root directory of the site
   * @return the repositories, and the paths that are refused
   * @throws IOException if the directory cannot be read or holds nothing like a repository
   */
  public static SiteDirectory read(Path root) throws IOException {
    SiteDirectory site = find(root);
    if (site.repositories.isEmpty() && site.refused.isEmpty()) {
      throw new IOException(root + ": no repository is below it; name the git/ of a site");
    }
    return site;
  }

  /**
   * Finds all repositories, or none.
   *
   * @param root directory of the site
   * @return the repositories, and the paths that are refused
   * @throws IOException if the directory cannot be read
   */
  public static SiteDirectory find(Path root) throws IOException {
    SiteDirectory site = new SiteDirectory(root);
    Files.walkFileTree(
        root, EnumSet.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, site.new Visitor());
    site.repositories.keySet().removeAll(site.refused.keySet());
    return site;
  }

  /**
   * Repositories by name.
   *
   * @return their directories
   */
  public SortedMap<String, Path> repositories() {
    return repositories;
  }

  /**
   * Names, or paths below the site, that cannot be used as a repository.
   *
   * @return the reason of each
   */
  public SortedMap<String, String> refused() {
    return refused;
  }

  /** Looks at each directory once. */
  private final class Visitor extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
      if (isOfGit(path)) {
        return FileVisitResult.SKIP_SUBTREE;
      }
      if (!hasText(path)) {
        refused.put(name(path), "has characters that this locale lacks; set LC_ALL=C.UTF-8");
        return FileVisitResult.SKIP_SUBTREE;
      }
      if (FileKey.isGitRepository(path.toFile(), FS.DETECTED)) {
        add(path);
        return FileVisitResult.CONTINUE;
      }
      if (isNamedAsRepository(path)) {
        refused.put(name(path), path + " is no repository: HEAD, objects or refs is not as Git's");
        return FileVisitResult.SKIP_SUBTREE;
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
      if (isNamedAsRepository(path)) {
        refused.put(name(path), path + " is no directory");
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path path, IOException e) throws IOException {
      if (path.equals(root)) {
        throw new IOException(root + ": cannot be read: " + e, e);
      }
      boolean gone = e instanceof NoSuchFileException; // a lock file of the old site
      if (!gone && !isOfGit(path)) {
        boolean loop = e instanceof FileSystemLoopException;
        refused.put(name(path), loop ? path + " leads to a directory above it" : "" + e);
      }
      return FileVisitResult.CONTINUE;
    }
  }

  private boolean isOfGit(Path path) {
    return found.contains(path.getParent()) && OF_GIT.contains(path.getFileName().toString());
  }

  /**
   * Tests whether the text of a path leads to the same path, because JGit opens files by the text.
   */
  private static boolean hasText(Path path) {
    try {
      return Path.of(path.toString()).equals(path);
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private void add(Path path) {
    String name = name(path);
    Path other = repositories.put(name, path);
    if (other != null) {
      refused.put(name, other + " and " + path + " have the same name");
    }
    found.add(path);
  }

  private boolean isNamedAsRepository(Path path) {
    return !path.equals(root) && path.getFileName().toString().endsWith(Constants.DOT_GIT_EXT);
  }

  private String name(Path path) {
    String name = root.relativize(path).toString();
    return name.endsWith(Constants.DOT_GIT_EXT)
        ? name.substring(0, name.length() - Constants.DOT_GIT_EXT.length())
        : name;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.eclipse.jgit.internal.storage.file.RefDirectory;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.Repository;

/**
 * Checks that JGit has read all refs that a directory holds as files. JGit skips a loose ref whose
 * name or content it cannot read, and decodes a packed name that is not UTF-8 to another name. Used
 * by one thread.
 */
final class RefFiles extends SimpleFileVisitor<Path> {
  private final Repository repository;
  private final Set<String> read;
  private final Path directory;

  /**
   * Creates a check.
   *
   * @param repository the repository
   * @param read names of the refs that were read from it
   */
  RefFiles(Repository repository, Set<String> read) {
    this.repository = repository;
    this.read = read;
    this.directory = repository.getCommonDirectory().toPath();
  }

  /**
   * Checks all files, if the repository stores refs in files.
   *
   * @throws IOException if a file holds a ref that was not read; the message names it
   */
  void check() throws IOException {
    if (repository.getRefDatabase() instanceof RefDirectory) {
      Path loose = directory.resolve(Constants.R_REFS);
      if (Files.isDirectory(loose)) {
        Files.walkFileTree(loose, this);
      }
      checkPacked(directory.resolve(Constants.PACKED_REFS));
    }
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
    String last = file.getFileName().toString();
    boolean none = last.startsWith(".") || last.endsWith(".lock"); // as Git sees it
    String name = directory.relativize(file).toString().replace('\\', '/');
    if (!none && !read.contains(name)) {
      checkUnread(file, name);
    }
    return FileVisitResult.CONTINUE;
  }

  /** Skips a file that has vanished, because other processes may change the repository. */
  @Override
  public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
    if (failure instanceof NoSuchFileException) {
      return FileVisitResult.CONTINUE;
    }
    throw failure;
  }

  /** Accepts an unread file that is new, or a symbolic ref without a target; refuses any other. */
  private void checkUnread(Path file, String name) throws IOException {
    if (!isDecoded(file)) {
      throw new IOException(
          file
              + ("UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding"))
                  ? ": its name is not UTF-8; give the ref another one"
                  : ": its name cannot be read in this locale; set LC_ALL=C.UTF-8"));
    }
    if (repository.exactRef(name) == null && Files.exists(file)) {
      throw new IOException(file + ": holds no ref; repair it or delete it, see git fsck");
    }
  }

  /** Tests whether the characters of a path encode to its bytes. */
  private static boolean isDecoded(Path file) {
    try {
      return Path.of(file.toString()).equals(file);
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static void checkPacked(Path packed) throws IOException {
    if (!Files.exists(packed)) {
      return;
    }
    try (BufferedReader lines = Files.newBufferedReader(packed, ISO_8859_1)) { // each byte a char
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        try {
          UTF_8.newDecoder().decode(ByteBuffer.wrap(line.getBytes(ISO_8859_1)));
        } catch (CharacterCodingException e) {
          throw new IOException(
              packed + ": the name in '" + line + "' is not UTF-8; give the ref another one", e);
        }
      }
    }
  }
}

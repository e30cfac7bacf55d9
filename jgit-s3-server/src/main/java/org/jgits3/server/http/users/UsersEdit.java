// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.file.LockFile;

/**
 * Changes of an htpasswd file by its administrator. A change replaces the file as a whole, under
 * Git's lock {@code FILE.lock}, so that a server reads the old users or the new ones. Other lines
 * are kept byte by byte. The file keeps its mode, owner and group; a new one has mode 600.
 */
public final class UsersEdit {
  private static final String COMMENT = "#";

  private final Path file;

  /**
   * Makes no access to the file.
   *
   * @param file htpasswd file; a symbolic link stays one
   */
  public UsersEdit(Path file) {
    this.file = file;
  }

  /** Lines of the file, each with its end and each byte as a character, before and after. */
  @FunctionalInterface
  private interface Change {
    List<String> of(List<String> lines) throws UsersFile.InvalidException;
  }

  /**
   * Lists the users.
   *
   * @return their names, in the order of the file
   * @throws UsersFile.InvalidException if the file or a line cannot be used
   */
  public List<String> names() throws UsersFile.InvalidException {
    return Htpasswd.parse(UsersFile.read(file), file.toString()).names();
  }

  /**
   * Adds a user, or changes the password of one. Makes the file if there is none.
   *
   * @param name name of the user
   * @param password the password
   * @return true if the user is new
   * @throws UsersFile.InvalidException if the name or the password cannot be used, or the result is
   *     no file that a server reads; nothing is changed
   * @throws IOException if the file cannot be replaced
   */
  public boolean put(String name, String password) throws IOException {
    Optional<String> fault = Htpasswd.faultOf(name);
    if (fault.isPresent()) {
      throw new UsersFile.InvalidException(fault.get());
    }
    String line = raw(name + ":" + Htpasswd.hashOf(password) + "\n");
    return change(
        lines -> {
          List<String> changed = new ArrayList<>();
          for (String old : lines) {
            if (!isOf(name, old)) {
              changed.add(old);
            } else if (!changed.contains(line)) {
              changed.add(line);
            }
          }
          if (!changed.contains(line)) {
            endLastLine(changed);
            changed.add(line);
          }
          return changed;
        });
  }

  /**
   * Removes a user.
   *
   * @param name name of the user
   * @throws UsersFile.InvalidException if there is no such user or no other, or the result is no
   *     file that a server reads; nothing is changed
   * @throws IOException if the file cannot be replaced
   */
  public void remove(String name) throws IOException {
    UsersFile.read(file); // or fails, before a lock is made
    change(
        lines -> {
          List<String> kept = lines.stream().filter(line -> !isOf(name, line)).toList();
          if (kept.size() == lines.size()) {
            throw new UsersFile.InvalidException(file + ": has no user " + name);
          }
          return kept;
        });
  }

  /** Changes the file; returns true if that added a line. */
  private boolean change(Change change) throws IOException {
    if (Files.isSymbolicLink(file) && !Files.exists(file)) {
      throw new UsersFile.InvalidException(file + ": is a symbolic link that leads to no file");
    }
    Path replaced = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
    if (!Files.isDirectory(replaced.getParent())) {
      throw new UsersFile.InvalidException(file + ": its directory does not exist");
    }
    LockFile lock = new LockFile(replaced.toFile());
    if (!lock.lock()) {
      throw new IOException(
          replaced + ".lock exists: if no other process changes the users, delete it");
    }
    try {
      List<String> before = Files.exists(replaced) ? lines(UsersFile.read(replaced)) : List.of();
      List<String> after = change.of(before);
      byte[] bytes = String.join("", after).getBytes(ISO_8859_1);
      if (Htpasswd.parse(bytes, file.toString()).isEmpty()) {
        throw new UsersFile.InvalidException(
            file + ": is about to have no users, which servers ignore; add another one first");
      }
      if (bytes.length > UsersFile.MAX_BYTES) {
        throw new UsersFile.InvalidException(file + ": is full");
      }
      protect(Path.of(replaced + ".lock"), replaced);
      lock.setFSync(true);
      lock.write(bytes);
      if (!lock.commit()) {
        throw new IOException(file + ": cannot be replaced");
      }
      return after.size() > before.size();
    } finally {
      lock.unlock();
    }
  }

  /** Gives the next file, which is empty, the mode, the owner and the group of the old one. */
  private static void protect(Path next, Path old) throws IOException {
    PosixFileAttributeView view =
        Files.getFileAttributeView(next, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    if (view == null) {
      return; // the file system has no modes
    }
    if (!Files.exists(old)) {
      view.setPermissions(PosixFilePermissions.fromString("rw-------"));
      return;
    }
    PosixFileAttributes wanted = Files.readAttributes(old, PosixFileAttributes.class);
    PosixFileAttributes made = view.readAttributes();
    if (!made.owner().equals(wanted.owner())) {
      view.setOwner(wanted.owner());
    }
    if (!made.group().equals(wanted.group())) {
      view.setGroup(wanted.group());
    }
    view.setPermissions(wanted.permissions());
  }

  private static List<String> lines(byte[] bytes) {
    if (bytes.length == 0) {
      return List.of();
    }
    return List.of(new String(bytes, ISO_8859_1).split("(?<=\n)|(?<=\r)(?!\n)", -1)).stream()
        .filter(line -> !line.isEmpty())
        .toList();
  }

  private static void endLastLine(List<String> lines) {
    int last = lines.size() - 1;
    if (last >= 0 && !lines.get(last).endsWith("\n")) {
      lines.set(last, lines.get(last) + "\n");
    }
  }

  /** Tests whether a line is that of a user. */
  private static boolean isOf(String name, String line) {
    String text = new String(line.getBytes(ISO_8859_1), UTF_8).strip();
    return !text.startsWith(COMMENT) && text.startsWith(name + ":");
  }

  private static String raw(String text) {
    return new String(text.getBytes(UTF_8), ISO_8859_1);
  }
}

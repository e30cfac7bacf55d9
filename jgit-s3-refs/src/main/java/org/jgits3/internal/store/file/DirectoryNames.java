// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jgits3.internal.function.IoConsumer;

/**
 * Names of the objects of a directory: a file that is on the disk gets its name so that it survives
 * a crash of the machine, or loses it. Safe for use by many threads.
 */
final class DirectoryNames {
  private final DirectoryLayout layout;
  private final DirectoryLocks locks;
  private final DirectoryTemp temp;
  private final IoConsumer<Path> forceDirectory;

  DirectoryNames(
      DirectoryLayout layout,
      DirectoryLocks locks,
      DirectoryTemp temp,
      IoConsumer<Path> forceDirectory) {
    this.layout = layout;
    this.locks = locks;
    this.temp = temp;
    this.forceDirectory = forceDirectory;
  }

  /** Gives a file that is on the disk its name, after its sidecar. */
  void publish(String key, Path file, Optional<DirectorySidecar> sidecar) throws IOException {
    Path object = layout.object(key);
    Path sidecarFile = layout.sidecar(key);
    Path newSidecar = temp.newName();
    try {
      if (sidecar.isPresent()) {
        sidecar.get().write(newSidecar);
      }
      locks.withKey(
          key,
          () -> {
            checkNameIsFree(key, object);
            Files.deleteIfExists(sidecarFile);
            if (sidecar.isPresent()) {
              DirectoryFiles.move(newSidecar, sidecarFile);
              forceNames(sidecarFile);
            }
            DirectoryFiles.move(file, object);
            forceNames(object);
            return null;
          });
    } finally {
      temp.remove(newSidecar);
    }
  }

  /** Waits until the names of a file and of all directories above it are on the disk. */
  private void forceNames(Path file) throws IOException {
    for (Path at = file; !at.equals(layout.root()); at = at.getParent()) {
      forceDirectory.accept(at.getParent());
    }
  }

  private void checkNameIsFree(String key, Path object) throws IOException {
    if (Files.isDirectory(object) && !DirectoryFiles.removeIfEmpty(object)) {
      throw layout.refused(key, "other objects have names below it; no key may prefix another");
    }
    if (layout.isBelowAnObject(object)) {
      throw layout.refused(key, "an object has a name above it; no key may prefix another");
    }
  }

  /**
   * Gives a file the name of an object instead of the present one, and removes its sidecar. The
   * caller has the lock of the key, and makes the name durable if there is a present one.
   */
  void replace(String key, Path file) throws IOException {
    Path object = layout.object(key);
    checkNameIsFree(key, object);
    Files.deleteIfExists(layout.sidecar(key));
    boolean replaced = Files.exists(object);
    DirectoryFiles.move(file, object, replaced ? () -> {} : () -> forceNames(object.getParent()));
  }

  /**
   * Removes an object. Its directory is not forced to the disk.
   *
   * @return false if there was none
   */
  boolean remove(String key) throws IOException {
    Path object = layout.object(key);
    boolean removed =
        locks.withKey(
            key,
            () -> {
              boolean existed = Files.isRegularFile(object) && Files.deleteIfExists(object);
              Files.deleteIfExists(layout.sidecar(key));
              return existed;
            });
    removeEmptyParents(object, layout.root());
    removeEmptyParents(layout.sidecar(key), layout.sidecars());
    return removed;
  }

  /**
   * Removes the empty directories above a deleted file. Each is removed under the lock of the key
   * that has its name, so that an object that takes the name is never removed.
   */
  private void removeEmptyParents(Path file, Path top) throws IOException {
    for (Path p = file.getParent(); !p.equals(top); p = p.getParent()) {
      Path dir = p;
      String key = top.relativize(dir).toString();
      if (!locks.withKey(key, () -> DirectoryFiles.removeIfEmpty(dir))) {
        return;
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.S3RepositoryManager;

/** Makes many changes in a project, without a Gerrit: its index is to be made anew afterwards. */
public final class FillProject {
  /** Number of the first change. Those that a Gerrit makes afterwards have smaller ones. */
  private static final int FIRST = 1_000_000;

  private FillProject() {}

  /**
   * Takes the port of the store, or the directory of the projects on a local disk, the project and
   * its change that is recorded, and the number of changes to make.
   */
  public static void main(String[] args) throws Exception {
    int recorded = Integer.parseInt(args[2]);
    int count = Integer.parseInt(args[3]);
    Path disk = Path.of(args[0], args[1] + ".git");
    if (Files.isDirectory(disk)) {
      try (FileRepository project = new FileRepository(disk.toFile());
          ObjectInserter inserter = project.getObjectDatabase().newPackInserter()) {
        new Replay(project, recorded).createChanges(project, inserter, FIRST, count);
      }
      return;
    }
    try (S3RepositoryManager manager = Bucket.open(Integer.parseInt(args[0]));
        Repository project = manager.openRepository(args[1]);
        ObjectInserter inserter = project.newObjectInserter()) {
      new Replay(project, recorded).createChanges(project, inserter, FIRST, count);
    }
  }
}

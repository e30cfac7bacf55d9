// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitHistory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of imports under one name. */
abstract class ImportFixture {
  static final RepositoryName NAME = RepositoryName.of("r");
  static final int MANY = 1000;

  @TempDir Path scratch;
  GitClient git;
  GitClient source;

  @BeforeEach
  void makeSource() throws IOException {
    git = GitClient.in(scratch);
    source = new GitHistory(1, 12, 4, 3, List.of()).importInto(git, "source.git");
  }

  static Importer.Imported importInto(S3RepositoryManager manager, String location)
      throws IOException {
    try (ImportSource found = ImportSource.open(location)) {
      return new Importer(manager, NullProgressMonitor.INSTANCE).run(found, NAME);
    }
  }

  /** Makes a repository whose only blob is gone; returns the blob. */
  String makeBroken(String name) throws IOException {
    GitClient broken = git.init(name);
    broken.commitFile("a.txt", "first\n");
    String blob = broken.run("rev-parse", "HEAD:a.txt");
    Files.delete(
        broken
            .directory()
            .resolve(".git/objects/" + blob.substring(0, 2) + "/" + blob.substring(2)));
    return blob;
  }
}

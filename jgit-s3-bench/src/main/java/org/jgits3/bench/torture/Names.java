// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.torture;

import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;

/** Creates, imports, renames and deletes repositories under a few shared names, by one thread. */
final class Names {
  /** Tags of the source of imports. */
  static final int TAGS = 20;

  private final S3RepositoryManager manager;
  private final Clerk clerk;
  private final RandomGenerator random;
  private final List<String> names;
  private final String source;

  /**
   * A thread's work.
   *
   * @param names the names
   * @param source repository on disk that is imported
   */
  Names(
      S3RepositoryManager manager,
      Clerk clerk,
      RandomGenerator random,
      List<String> names,
      String source) {
    this.manager = manager;
    this.clerk = clerk;
    this.random = random;
    this.names = List.copyOf(names);
    this.source = source;
  }

  /** Something that may fail. */
  private interface Operation {
    void run() throws IOException;
  }

  void step() throws IOException {
    String name = name();
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> attempt("create " + name, () -> create(name));
      case 3, 4 -> {
        String to = name();
        attempt("rename " + name + " to " + to, () -> manager.rename(name, to));
      }
      case 5 -> attempt("delete " + name, () -> manager.delete(name));
      default -> attempt("import " + name, () -> importSource(name));
    }
  }

  private String name() {
    return names.get(random.nextInt(names.size()));
  }

  private void attempt(String title, Operation operation) throws IOException {
    clerk.did("trying", title);
    String result = "ok";
    try {
      operation.run();
    } catch (IOException | IllegalArgumentException e) {
      result = e.toString();
    }
    clerk.did(title.split(" ", 2)[0], result);
  }

  private void create(String name) throws IOException {
    manager.createRepository(name).close();
  }

  private void importSource(String name) throws IOException {
    try (ImportSource from = ImportSource.open(source)) {
      new Importer(manager, NullProgressMonitor.INSTANCE).run(from, RepositoryName.of(name));
    }
    try (S3Repository imported = manager.openForRequest(name)) {
      int tags = imported.getRefDatabase().getRefsByPrefix("refs/tags/").size();
      if (tags != TAGS && tags != 0) {
        clerk.found("lost: an import has " + tags + " of " + TAGS + " tags");
      }
    }
  }
}

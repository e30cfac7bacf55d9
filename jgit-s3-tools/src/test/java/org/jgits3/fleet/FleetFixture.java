// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.MemoryObjectStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** Repositories of users in a store, and a process that passes over them. */
abstract class FleetFixture {
  static final String MAIN = "refs/heads/main";

  final MemoryObjectStore store = new MemoryObjectStore();

  /** Requests of the process that passes. */
  final RequestCounts counts = new RequestCounts();

  @AutoClose S3RepositoryManager maintainer;
  @AutoClose S3RepositoryManager users;
  private int commits;

  @BeforeEach
  void open() throws Exception {
    maintainer = TestRepositories.manager(new ObservedObjectStore(store, counts));
    users = TestRepositories.manager(store);
  }

  /** Creates repositories of one branch. */
  final void create(String... names) throws IOException {
    for (String name : names) {
      users.createRepository(name).close();
      push(name, MAIN);
    }
  }

  /** Sets a ref to a commit of its own. */
  final void push(String name, String ref) throws IOException {
    try (S3Repository repository = users.openRepository(name)) {
      ObjectId commit = TestRepositories.commit(repository, "commit " + commits++);
      TestRepositories.force(repository, ref, commit);
    }
  }

  final String id(String name) throws IOException {
    return StoredManifest.read(store, name).repositoryId();
  }

  /** Ids of the repositories that a pass gives. */
  static List<String> ids(FleetPass pass) throws IOException {
    List<String> ids = new ArrayList<>();
    for (var id = pass.next(); id.isPresent(); id = pass.next()) {
      ids.add(id.get());
    }
    return ids;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.AutoClose;

/** A repository that another process writes and this one reads. */
abstract class DerivationTestCase {
  /** Requests of this process. */
  final RequestCounts counts = new RequestCounts();

  @AutoClose S3RepositoryManager here;
  @AutoClose S3RepositoryManager there;
  @AutoClose S3Repository reader;
  @AutoClose S3Repository writer;
  ObjectId first;
  ObjectId second;

  /** Creates the repository, with two commits and no refs. */
  void create(ObjectStore ofThisProcess, ObjectStore ofTheOther) throws Exception {
    here = TestRepositories.manager(new ObservedObjectStore(ofThisProcess, counts));
    there = TestRepositories.manager(ofTheOther);
    writer = there.createRepository("r");
    first = TestRepositories.commit(writer, "first");
    second = TestRepositories.commit(writer, "second", first);
  }

  /** Compacts the refs, and opens the repository to read. */
  void openCompacted() throws IOException {
    writer.getRefDatabase().compact();
    reader = here.openRepository("r");
  }

  void assertSameRefs() throws IOException {
    List<String> expected = TestRepositories.refs(writer);
    assertThat(TestRepositories.refs(reader)).isEqualTo(expected);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.s3.S3ObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The objects of a bucket, copied to files of the same names. */
class S3BucketCopyTest {
  private static final String NAME = "gr\u00fcn/r";

  @TempDir private Path directory;

  private void copy(ObjectStore bucket) throws IOException {
    List<String> keys = StoreContent.keys(bucket, "");
    for (String key : keys) {
      GetResult.Found found = (GetResult.Found) bucket.get(key, Optional.empty());
      Path file = directory.resolve(key);
      Files.createDirectories(file.getParent());
      Files.write(file, found.bytes());
    }
  }

  @Test
  void copied_bucket_opens_as_a_directory_that_takes_pushes() throws Exception {
    S3Server server = S3Servers.require();
    StoreLocation.Bucket bucket = server.newBucket();
    ObjectId pushed;
    try (S3RepositoryManager manager =
            TestRepositories.manager(S3ObjectStore.open(bucket, server.options()));
        S3Repository r = manager.createRepository(NAME)) {
      pushed = TestRepositories.commit(r, "first");
      TestRepositories.force(r, "refs/heads/main", pushed);
      manager.maintenance(NAME).collectGarbage(NullProgressMonitor.INSTANCE);
    }
    try (ObjectStore store = S3ObjectStore.open(bucket, server.options())) {
      copy(store);
    }
    try (S3RepositoryManager manager =
        TestRepositories.manager(new DirectoryObjectStore(directory))) {
      assertThat(manager.list()).containsExactly(NAME);
      assertThat(new NameCheck(manager.store()).run(false)).isEmpty();
      assertThat(new Verification(manager, NullProgressMonitor.INSTANCE).run(NAME).findings())
          .isEmpty();
      try (S3Repository r = manager.openRepository(NAME)) {
        assertThat(r.exactRef("refs/heads/main").getObjectId()).isEqualTo(pushed);
        ObjectId next = TestRepositories.commit(r, "second", r.parseCommit(pushed));
        TestRepositories.force(r, "refs/heads/main", next);
      }
    }
  }
}

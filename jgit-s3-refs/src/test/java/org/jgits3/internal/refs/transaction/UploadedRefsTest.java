// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.PartBody;
import org.jgits3.store.UploadedPart;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the bytes that tables of refs take for each update of one ref. */
@Timeout(600)
class UploadedRefsTest {
  private final AtomicLong uploaded = new AtomicLong();

  private static String name(int i) {
    return String.format("refs/changes/%02d/%d/1", i % 100, i);
  }

  /** Refs of all kinds of tables, but neither manifests nor the log. */
  private S3RepositoryManager counting() throws Exception {
    return TestRepositories.manager(
        new DelegatingObjectStore(new MemoryObjectStore()) {
          @Override
          public void put(String key, byte[] src, int offset, int length) throws IOException {
            count(key, length);
            super.put(key, src, offset, length);
          }

          @Override
          public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
              throws IOException {
            count(upload.key(), body.size());
            return super.uploadPart(upload, number, body);
          }

          private void count(String key, long bytes) {
            uploaded.addAndGet(key.contains("/refs/") ? bytes : 0);
          }
        });
  }

  /** Bytes for each of some updates, one at a time, of random refs among so many. */
  private long bytesPerUpdate(int refs, int updates) throws Exception {
    try (S3RepositoryManager manager = counting();
        S3Repository r = manager.createRepository("r")) {
      ObjectId first = TestRepositories.commit(r, "first");
      ObjectId second = TestRepositories.commit(r, "second", first);
      TestRepositories.createAll(r, first, refs, i -> name(i));
      uploaded.set(0);
      Random random = new Random(refs);
      for (int i = 0; i < updates; i++) {
        RefUpdate update = r.updateRef(name(random.nextInt(refs)));
        boolean again = first.equals(update.getOldObjectId());
        update.setNewObjectId(again ? second : first);
        assertThat(update.forceUpdate())
            .isIn(RefUpdate.Result.FAST_FORWARD, RefUpdate.Result.FORCED);
      }
      Folds.fold(r);
      assertThat(uploaded.get()).isPositive();
      return uploaded.get() / updates;
    }
  }

  @Test
  void one_table_takes_fewer_bytes_than_its_refs() throws Exception {
    assertThat(bytesPerUpdate(20_000, 3000)).isLessThan(20_000 * 70 / 900);
  }

  @Tag("long") // FoldCostTest has half a million refs
  @Test
  void two_tables_take_a_fraction_of_one() throws Exception {
    assertThat(bytesPerUpdate(60_000, 12_000)).as("4 KB with one table").isLessThan(1500);
  }
}

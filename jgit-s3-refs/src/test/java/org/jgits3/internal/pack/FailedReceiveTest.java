// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.transport.PackParser;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.RequestKind;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of packs that are not received whole, or refused. */
class FailedReceiveTest {
  private static final int LARGE = 20 << 20;

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  private DirectoryObjectStore store;
  private S3RepositoryManager manager;
  private S3Repository repository;

  @BeforeEach
  void open() throws Exception {
    store = new DirectoryObjectStore(directory);
    manager = TestRepositories.manager(new ObservedObjectStore(store, counts));
    repository = manager.createRepository("r");
  }

  @AfterEach
  void close() throws IOException {
    repository.close();
    manager.close();
  }

  private RequestCounts.Snapshot refused(byte[] pack, int maxObject) {
    RequestCounts.Snapshot before = counts.snapshot();
    assertThatThrownBy(
            () -> {
              try (ObjectInserter inserter = repository.newObjectInserter()) {
                PackParser parser = inserter.newPackParser(new ByteArrayInputStream(pack));
                parser.setMaxObjectSizeLimit(maxObject);
                parser.parse(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE);
              }
            })
        .isInstanceOf(IOException.class);
    return counts.snapshot().since(before);
  }

  private void nothingIsLeft() throws IOException {
    store.list("objects/", object -> assertThat(object.key()).doesNotContain("/pack/"));
    assertThat(store.listMultipart("")).isEmpty();
  }

  @Test
  void a_large_pack_with_a_wrong_checksum_is_aborted_and_never_exists() throws Exception {
    RequestCounts.Snapshot cost = refused(PackBytes.ofSize(LARGE, 1).corrupt().bytes(), 0);
    assertThat(cost.of(RequestKind.MULTIPART_BEGIN)).isEqualTo(1);
    assertThat(cost.of(RequestKind.ABORT)).isEqualTo(1);
    assertThat(cost.of(RequestKind.COMPLETE)).isZero();
    assertThat(cost.of(RequestKind.DELETE)).isZero();
    nothingIsLeft();
  }

  @Test
  void a_large_pack_that_ends_early_is_aborted_and_never_exists() throws Exception {
    byte[] whole = PackBytes.ofSize(LARGE, 2).bytes();
    byte[] part = new byte[whole.length - 4_000];
    System.arraycopy(whole, 0, part, 0, part.length);
    RequestCounts.Snapshot cost = refused(part, 0);
    assertThat(cost.of(RequestKind.COMPLETE)).isZero();
    assertThat(cost.of(RequestKind.ABORT)).isEqualTo(1);
    nothingIsLeft();
  }

  @Test
  void a_small_pack_that_is_refused_costs_no_writing_request() throws Exception {
    RequestCounts.Snapshot corrupt = refused(PackBytes.ofSize(2_000, 3).corrupt().bytes(), 0);
    RequestCounts.Snapshot tooLarge = refused(PackBytes.ofSize(2_000, 4).bytes(), 1_000);
    for (RequestCounts.Snapshot cost : new RequestCounts.Snapshot[] {corrupt, tooLarge}) {
      assertThat(cost.total()).isEqualTo(cost.of(RequestKind.GET));
    }
    nothingIsLeft();
  }
}

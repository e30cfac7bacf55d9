// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.zip.DeflaterOutputStream;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.transport.PackParser;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.RequestKind;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of packs that are not received whole, or refused. */
@Holds(
    "PackOutput, S3PackDescription: A pack that is refused or not received whole never exists. "
        + "Closing it completes nothing.")
class FailedReceiveTest {
  private static final int LARGE = 17 << 20;

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  private DirectoryObjectStore store;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;

  @BeforeEach
  void open() throws Exception {
    store = new DirectoryObjectStore(directory);
    manager = TestRepositories.manager(new ObservedObjectStore(store, counts));
    repository = manager.createRepository("r");
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

  /** A pack of one blob of five bytes and a delta to it. */
  private static byte[] packWithDelta(byte[] delta) throws Exception {
    byte[] base = "base\n".getBytes(UTF_8);
    ByteArrayOutputStream pack = new ByteArrayOutputStream();
    pack.write(new byte[] {'P', 'A', 'C', 'K', 0, 0, 0, 2, 0, 0, 0, 2});
    pack.write(Constants.OBJ_BLOB << 4 | base.length);
    pack.write(deflated(base));
    pack.write(Constants.OBJ_REF_DELTA << 4 | delta.length);
    byte[] id = new byte[Constants.OBJECT_ID_LENGTH];
    new ObjectInserter.Formatter().idFor(Constants.OBJ_BLOB, base).copyRawTo(id, 0);
    pack.write(id);
    pack.write(deflated(delta));
    pack.write(Constants.newMessageDigest().digest(pack.toByteArray()));
    return pack.toByteArray();
  }

  private static byte[] deflated(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DeflaterOutputStream deflater = new DeflaterOutputStream(out)) {
      deflater.write(bytes);
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "05", "0604", "050400", "0504900a", "0504910304"})
  void a_delta_that_cannot_be_applied_is_called_that(String delta) throws Exception {
    byte[] pack = packWithDelta(HexFormat.of().parseHex(delta));
    assertThatThrownBy(() -> new PackBytes(pack, ObjectId.zeroId()).pushTo(repository))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("object 2 of the pack, at byte 26, is a delta ");
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

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
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
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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

  static List<byte[]> largePacks() throws IOException {
    byte[] whole = PackBytes.ofSize(LARGE, 2).bytes();
    return List.of(
        PackBytes.ofSize(LARGE, 1).corrupt().bytes(), Arrays.copyOf(whole, whole.length - 4_000));
  }

  /** Packs with a wrong checksum, and that end early. */
  @ParameterizedTest(name = "{index}")
  @MethodSource("largePacks")
  void a_large_pack_that_is_not_whole_is_aborted_and_never_exists(byte[] pack) throws Exception {
    RequestCounts.Snapshot cost = refused(pack, 0);
    assertThat(cost.of(RequestKind.MULTIPART_BEGIN)).isEqualTo(1);
    assertThat(cost.of(RequestKind.ABORT)).isEqualTo(1);
    assertThat(cost.of(RequestKind.COMPLETE)).isZero();
    assertThat(cost.of(RequestKind.DELETE)).isZero();
    nothingIsLeft();
  }

  /** A pack of one blob of five bytes and a delta to it. */
  private static byte[] packWithDelta(byte[] delta) {
    byte[] base = "base\n".getBytes(UTF_8);
    return new ForgedPack(2)
        .object(Constants.OBJ_BLOB, base)
        .delta(ForgedPack.id(Constants.OBJ_BLOB, base), delta)
        .closed();
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

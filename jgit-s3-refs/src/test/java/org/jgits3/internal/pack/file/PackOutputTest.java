// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackOutputTest {
  private static final int PART = UploadOptions.MIN_PART_SIZE;
  private static final String KEY = "objects/r/pack/1.pack";

  @TempDir Path directory;
  @TempDir Path spills;
  private final RequestCounts counts = new RequestCounts();
  private final S3PackDescription pack =
      new S3PackDescription(new DfsRepositoryDescription("r"), "r", "1", PackSource.RECEIVE);
  @AutoClose private ObjectStore store;
  @AutoClose private PackUploads uploads;

  @BeforeEach
  void open() throws IOException {
    store = new ObservedObjectStore(new DirectoryObjectStore(directory), counts);
    uploads = new PackUploads(store, new UploadOptions(PART, 2));
  }

  private PackOutput output(IoSupplier<PackUpload> begin) {
    return new PackOutput(pack, PackExt.PACK, begin, Optional.of(new SpillDirectory(spills)));
  }

  @Test
  void a_received_pack_of_exactly_one_part_is_one_request() throws Exception {
    PackOutput out = output(() -> uploads.begin(KEY));
    out.write(new byte[PART], 0, PART);
    out.close();
    pack.finish();
    assertThat(counts.snapshot().of(RequestKind.MULTIPART_BEGIN)).isZero();
    assertThat(counts.snapshot().of(RequestKind.PUT)).isEqualTo(1);
  }

  @Test
  void a_block_written_again_after_a_failure_has_the_checksums_of_one() throws Exception {
    AtomicInteger failing = new AtomicInteger(1);
    PackOutput out =
        output(
            () -> {
              if (failing.getAndDecrement() > 0) {
                throw new OutOfMemoryError("as if");
              }
              return uploads.begin(KEY);
            });
    byte[] block = RandomBytes.of(2 << 20, 1);
    assertThatThrownBy(() -> out.write(block, 0, block.length))
        .isInstanceOf(OutOfMemoryError.class);
    try {
      out.write(block, 0, block.length);
      out.close();
      pack.finish();
    } catch (IOException e) {
      return; // refused: as good
    }
    RangeChecksums.Writer expected = new RangeChecksums.Writer();
    expected.update(block, 0, block.length);
    assertThat(pack.checksums().orElseThrow()).isEqualTo(expected.end());
  }
}

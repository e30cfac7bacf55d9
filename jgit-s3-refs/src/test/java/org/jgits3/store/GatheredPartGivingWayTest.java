// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Uploads that give way to others while they put larger parts together than memory holds. */
@Timeout(120)
class GatheredPartGivingWayTest {
  private static final int SIZE = UploadOptions.MIN_PART_SIZE;

  /** Two parts are what memory has; later ones are three buffers large. */
  private static final PartSizes SIZES = new PartSizes(20, 2, 1, 3 * SIZE);

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"1, 2, 1", "1, 3, 2", "2, 3, 3", "2, 4, 4", "3, 4, 5"})
  void streams_of_one_thread_are_stored_as_they_were_written(int buffers, int streams, long seed)
      throws Exception {
    Map<String, List<UploadedPart>> parts = new ConcurrentHashMap<>();
    Random random = new Random(seed);
    List<byte[]> contents = new ArrayList<>();
    try (ObjectStore below = new DirectoryObjectStore(directory)) {
      ObjectStore store =
          new DelegatingObjectStore(below) {
            @Override
            public int minPartSize() {
              return SIZE / 8; // so that pieces have many sizes
            }

            @Override
            public void completeMultipart(MultipartUpload upload, List<UploadedPart> of)
                throws IOException {
              parts.put(upload.key(), of);
              super.completeMultipart(upload, of);
            }
          };
      try (PackUploads uploads =
          new PackUploads(store, new UploadOptions(SIZE, buffers), Duration.ofMillis(1), SIZES)) {
        List<PackUpload> open = new ArrayList<>();
        for (int i = 0; i < streams; i++) {
          byte[] bytes = new byte[7 * SIZE + random.nextInt(4 * SIZE)];
          random.nextBytes(bytes);
          contents.add(bytes);
          open.add(uploads.begin(i + ".pack"));
        }
        List<PackUpload> left = new ArrayList<>(open);
        while (!left.isEmpty()) {
          PackUpload upload = left.get(random.nextInt(left.size()));
          byte[] bytes = contents.get(open.indexOf(upload));
          int at = (int) upload.count();
          int n = Math.min(bytes.length - at, random.nextInt(SIZE * 3 / 2));
          upload.write(bytes, at, n);
          if (at + n == bytes.length) {
            upload.close();
            left.remove(upload);
          }
        }
        assertThat(uploads.buffers().inUse()).isZero();
      }
      for (int i = 0; i < streams; i++) {
        byte[] bytes = contents.get(i);
        byte[] stored = new byte[bytes.length];
        assertThat(below.stat(i + ".pack").orElseThrow().size()).isEqualTo(bytes.length);
        below.read(i + ".pack", 0, stored, 0, stored.length, Optional.empty());
        assertThat(Arrays.equals(stored, bytes)).isTrue();
        List<UploadedPart> of = parts.get(i + ".pack");
        assertThat(of.subList(2, of.size() - 1)).allMatch(part -> part.size() >= 3 * SIZE);
      }
      List<String> keys = new ArrayList<>();
      below.list("", object -> keys.add(object.key()));
      assertThat(keys).hasSize(streams);
      assertThat(below.listMultipart("")).isEmpty();
    }
  }
}

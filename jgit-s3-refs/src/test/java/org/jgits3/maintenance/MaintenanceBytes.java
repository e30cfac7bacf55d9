// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HexFormat;
import java.util.Optional;
import org.jgits3.store.Crc32c;
import org.jgits3.store.MemoryObjectStore;

/** Reads objects of maintenance whose bytes are arbitrary but for the checksum. */
public final class MaintenanceBytes {
  private static final String REPOSITORY = "0123456789abcdef0123456789abcdef";
  private static final long GENERATION = 42;

  private MaintenanceBytes() {}

  /** Reads a mark with some lines before the checksum. */
  public static void mark(byte[] lines) {
    String text = new String(lines, ISO_8859_1);
    String summed = REPOSITORY + " " + GENERATION + "\n" + text;
    String crc = HexFormat.of().toHexDigits(Crc32c.of(summed.getBytes(ISO_8859_1)));
    Optional<SweepMark> mark =
        SweepMark.decode(REPOSITORY, GENERATION, (text + "\n" + crc).getBytes(ISO_8859_1));
    if (mark.isPresent() && text.chars().allMatch(c -> c < 0x80)) {
      byte[] written = mark.get().encode(REPOSITORY);
      assertThat(SweepMark.decode(REPOSITORY, GENERATION, written)).isEqualTo(mark);
    }
  }

  /** Acquires a lease that there is already. */
  public static void lease(byte[] bytes) throws IOException {
    MemoryObjectStore store = new MemoryObjectStore();
    store.put(Lease.key(REPOSITORY), bytes, 0, bytes.length);
    Lease lease = new Lease(store, REPOSITORY);
    if (lease.acquire()) {
      assertThat(new Lease(store, REPOSITORY).acquire()).isFalse();
    }
  }
}

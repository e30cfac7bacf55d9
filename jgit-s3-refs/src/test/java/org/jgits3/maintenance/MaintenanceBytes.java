// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jgits3.internal.fleet.Claims;
import org.jgits3.internal.fleet.IdTable;
import org.jgits3.store.Crc32c;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectVersion;

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

  /** The content of a scan state that claims nothing of some repositories. */
  public static byte[] scan(String location, String kind, String settings, String... ids)
      throws IOException {
    IdTable.Builder table = new IdTable.Builder(0, Claims.VALUE_BYTES);
    for (String id : ids) {
      table.add(id, new byte[Claims.VALUE_BYTES]);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (String text : List.of(location, kind, settings)) {
      out.writeUTF(text);
    }
    table.build().write(out);
    return bytes.toByteArray();
  }

  /** Reads a scan state. */
  public static void scan(byte[] bytes) throws IOException {
    MemoryObjectStore store = new MemoryObjectStore();
    store.put("scan/gc", bytes, 0, bytes.length);
    ScanState.Stored read;
    try {
      read = ScanState.read(store, "gc").orElseThrow();
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("scan/gc").hasMessageContaining("delete it");
      return;
    }
    Optional<ObjectVersion> written = read.state().replace(store, Optional.of(read.version()));
    assertThat(written).isPresent();
    assertThat(ScanState.read(store, "gc").orElseThrow().state().claims().size())
        .isEqualTo(read.state().claims().size());
  }
}

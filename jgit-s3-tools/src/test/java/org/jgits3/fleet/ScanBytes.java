// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jgits3.internal.fleet.IdTable;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectVersion;

/** Makes and reads states of passes whose bytes are arbitrary but for the checksum. */
public final class ScanBytes {
  private ScanBytes() {}

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

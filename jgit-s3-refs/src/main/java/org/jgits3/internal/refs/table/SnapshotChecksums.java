// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.io.IOException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.jgits3.internal.store.file.DirectoryObjectStore;

/** Computes the checksums of a snapshot that a manifest stores. Used by one thread. */
public final class SnapshotChecksums implements PackedRefsSink {
  private final CRC32C crc = new CRC32C();
  private final MessageDigest digest = DirectoryObjectStore.sha256();

  /** Checksums of a whole snapshot. */
  public static SnapshotChecksums of(PackedRefsTable table) {
    SnapshotChecksums sums = new SnapshotChecksums();
    try {
      table.writeTo(sums);
    } catch (IOException e) {
      throw new IllegalStateException("memory does not fail", e);
    }
    return sums;
  }

  @Override
  public void accept(byte[] bytes, int offset, int length) {
    crc.update(bytes, offset, length);
    digest.update(bytes, offset, length);
  }

  public int crc32c() {
    return (int) crc.getValue();
  }

  /** Completes the SHA-256 in hex; this cannot be used afterwards. */
  public String sha256() {
    return HexFormat.of().formatHex(digest.digest());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;

/**
 * Writes a snapshot in the one form that equal refs have: refs in order, each with its peeled
 * value. Used by one thread.
 */
final class SnapshotWriter {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
  private long count;

  SnapshotWriter() {
    out.writeBytes(RefTable.HEADER.getBytes(US_ASCII));
  }

  /**
   * Appends a ref.
   *
   * @param name full name, after all names before in the order of {@link RefOrder}
   * @param value what it points to
   */
  void add(String name, RefValue.Direct value) {
    out.writeBytes(value.id().name().getBytes(US_ASCII));
    out.write(' ');
    out.writeBytes(name.getBytes(UTF_8));
    out.write('\n');
    if (value.peeled().isPresent()) {
      out.write('^');
      out.writeBytes(value.peeled().get().name().getBytes(US_ASCII));
      out.write('\n');
    }
    count++;
  }

  byte[] bytes() {
    return out.toByteArray();
  }

  /**
   * Describes the snapshot for the manifest.
   *
   * @param id minted name
   * @param bytes what {@link #bytes} returned
   * @return the description
   */
  RefSnapshot describe(String id, byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return new RefSnapshot(
        id, bytes.length, count, (int) crc.getValue(), sha256(bytes), Optional.empty());
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}

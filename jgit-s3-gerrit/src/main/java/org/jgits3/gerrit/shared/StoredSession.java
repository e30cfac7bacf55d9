// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import com.google.common.flogger.FluentLogger;
import com.google.gerrit.common.Nullable;
import com.google.gerrit.httpd.WebSessionManager.Val;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.concurrent.TimeUnit;
import org.jgits3.store.ObjectVersion;

/**
 * A web session as it was in the store at a moment or later.
 *
 * @param val what Gerrit keeps of it
 * @param mark mark that was in the store when the session began
 * @param version version of its object
 * @param asOf reading of {@link System#nanoTime} before it was read or written
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record StoredSession(Val val, byte[] mark, ObjectVersion version, long asOf) {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /** Allows bytes from the store to become objects of this class only. */
  private static final ObjectInputFilter ONLY_SESSIONS =
      ObjectInputFilter.Config.createFilter(Val.class.getName() + ";maxdepth=2;!*");

  /** Session as it is stored. */
  static byte[] bytes(byte[] mark, Val val) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeInt(mark.length);
      out.write(mark);
      out.writeObject(val);
    }
    return bytes.toByteArray();
  }

  /** Parses what is stored of a session; null if this Gerrit cannot. */
  @Nullable
  static StoredSession parse(String key, byte[] bytes, ObjectVersion version, long asOf) {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      in.setObjectInputFilter(ONLY_SESSIONS);
      byte[] mark = in.readNBytes(in.readInt());
      return new StoredSession((Val) in.readObject(), mark, version, asOf);
    } catch (ClassNotFoundException | IOException | RuntimeException e) { // of a newer Gerrit
      LOG.atInfo().atMostEvery(1, TimeUnit.MINUTES).log(
          "Web session %s cannot be parsed: %s", key, e.getMessage());
      return null;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.util.Optional;
import org.jgits3.internal.fleet.IdTable;
import org.jgits3.internal.fleet.TableFormat;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.Register;

/**
 * Work that passes of one kind have done, as stored in one object: a hint whose loss costs no more
 * than one pass over all.
 *
 * @param location location of the store
 * @param kind kind of maintenance
 * @param settings settings that the work was done with
 * @param claims repositories with their {@link Claims}
 */
record ScanState(String location, String kind, String settings, IdTable claims) {
  static final IdTable NO_CLAIMS = IdTable.empty(Claims.VALUE_BYTES);

  private static final TableFormat FORMAT = new TableFormat("scan state", '1');
  private static final int HEAD_BYTES = 1 << 10;

  /**
   * A state and the version of its object.
   *
   * @param state the state
   * @param version version in the store
   */
  record Stored(ScanState state, ObjectVersion version) {}

  private static String key(String kind) {
    return "scan/" + kind;
  }

  /**
   * Reads the state of a kind of maintenance.
   *
   * @param store the store
   * @param kind the kind
   * @return the state; empty if there is none
   * @throws IOException if it is damaged, of another store or version, or the store does not answer
   */
  static Optional<Stored> read(ObjectStore store, String kind) throws IOException {
    String key = key(kind);
    Optional<GetResult.Found> found = new Register(store, key).read();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    ScanState state;
    try {
      state = FORMAT.decode(found.get().bytes(), ScanState::decode);
    } catch (StreamCorruptedException e) {
      throw unusable(store, key, e.getMessage());
    }
    if (!state.location.equals(store.location()) || !state.kind.equals(kind)) {
      String of = state.kind + " of the store " + state.location;
      throw unusable(store, key, "is the scan state of " + of);
    }
    return Optional.of(new Stored(state, found.get().version()));
  }

  private static IOException unusable(ObjectStore store, String key, String what) {
    return new IOException(
        store.location()
            + "/"
            + key
            + ": "
            + what
            + "; delete it for a pass over all repositories");
  }

  private static ScanState decode(DataInputStream in, long most) throws IOException {
    return new ScanState(
        in.readUTF(), in.readUTF(), in.readUTF(), IdTable.read(in, Claims.VALUE_BYTES, most));
  }

  /**
   * Replaces the stored state.
   *
   * @param store the store
   * @param base version that it must have; empty if there must be none
   * @return the new version; empty if another pass has stored another state, or the store does not
   *     tell
   * @throws IOException if the store refuses
   */
  Optional<ObjectVersion> replace(ObjectStore store, Optional<ObjectVersion> base)
      throws IOException {
    byte[] bytes =
        FORMAT.encode(
            claims.length() / 2 + HEAD_BYTES,
            out -> {
              out.writeUTF(location);
              out.writeUTF(kind);
              out.writeUTF(settings);
              claims.write(out);
            });
    return new Register(store, key(kind)).replace(base, bytes, 1) instanceof PutOutcome.Won won
        ? Optional.of(won.version())
        : Optional.empty();
  }
}

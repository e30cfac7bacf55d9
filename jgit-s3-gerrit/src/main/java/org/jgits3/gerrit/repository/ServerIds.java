// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Register;

/**
 * The server id of the Gerrits on a store. Each change contains the id of its Gerrit, which takes a
 * change of another one for imported.
 */
final class ServerIds {
  static final String KEY = "gerrit-server-id";

  private ServerIds() {}

  /**
   * Refuses a Gerrit with another server id than that of the store. The first Gerrit on a store
   * writes its own.
   *
   * @param store the store
   * @param id server id of this Gerrit
   * @throws ConfigInvalidException if the Gerrits on the store have another one
   * @throws IOException if the store does not answer, or refuses
   */
  static void check(ObjectStore store, String id) throws IOException, ConfigInvalidException {
    Register stored = new Register(store, KEY);
    Optional<GetResult.Found> found = stored.read();
    if (found.isEmpty()) {
      stored.replace(Optional.empty(), id.getBytes(UTF_8), 1);
      found = stored.read(); // another Gerrit may have been first
    }
    if (found.isEmpty()) {
      throw new IOException(KEY + " was not written to " + store.location() + "; start again");
    }
    String known = new String(found.get().bytes(), UTF_8).strip(); // may be written by hand
    if (!known.equals(id)) {
      throw new ConfigInvalidException(
          "gerrit.serverId is %s, but that of the Gerrits on %s is %s, as object %s says; take etc/gerrit.config from one of them"
              .formatted(id, store.location(), known, KEY));
    }
  }
}

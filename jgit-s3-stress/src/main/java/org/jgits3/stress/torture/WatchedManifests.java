// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.ObjectStore;
import org.jgits3.stress.robust.InterceptedStore;

/**
 * Manifests that are about to be written, told to the thread that writes them. So a change of names
 * is in the history, with the repository that it is of, before it can have an effect.
 */
final class WatchedManifests {
  /** Learns of a write before its first attempt, and of each later one. */
  @FunctionalInterface
  interface Watcher {
    void writes(Manifest manifest) throws IOException;
  }

  private static final ThreadLocal<Watcher> WATCHER = new ThreadLocal<>();

  private WatchedManifests() {}

  /** A store whose writes of manifests are told. */
  static ObjectStore of(ObjectStore store) {
    return InterceptedStore.of(
        store,
        (request, args) -> {
          Watcher watcher = WATCHER.get();
          if (watcher != null && request.equals("putIf")) {
            String key = (String) args[0];
            if (ObjectNames.repositoryIdOfManifest(key).isPresent()) {
              watcher.writes(Manifest.decode(key, (byte[]) args[1]));
            }
          }
        });
  }

  /** Tells this thread's writes to a watcher, or to none. */
  static void watch(Optional<Watcher> watcher) {
    watcher.ifPresentOrElse(WATCHER::set, WATCHER::remove);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import org.jgits3.internal.commit.Committer;
import org.jgits3.internal.commit.ManifestChange;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.manifest.ManifestException;

/**
 * Commits changes of packs. If the manifest has no room for a change, folds refs and log and tries
 * again. Without that, a writer of packs alone, such as an inserter of single objects, would be
 * refused until an update of refs folds them.
 *
 * <p>Safe for use by many threads.
 */
final class PackCommitter implements Committer {
  private final ManifestCommitter committer;
  private final SharedPacks.Room room;

  /**
   * Commits to one manifest.
   *
   * @param committer its commit loop
   * @param room makes room in it
   */
  PackCommitter(ManifestCommitter committer, SharedPacks.Room room) {
    this.committer = committer;
    this.room = room;
  }

  @Override
  public <R> R commit(ManifestChange<R> change) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return committer.commit(change);
      } catch (ManifestException.TooLarge e) {
        if (!room.make(e, attempt)) {
          throw e;
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import org.jgits3.manifest.Change;
import org.jgits3.manifest.Committer;
import org.jgits3.manifest.ManifestCommitter;
import org.jgits3.manifest.ManifestException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits changes of packs. For one that the manifest has no room for it makes room, and tries it
 * once more: refs and log leave the manifest as soon as anybody folds them, and whoever writes
 * packs only, as those who insert objects one by one do, would else be refused until somebody does.
 *
 * <p>Safe for use by many threads.
 */
final class Publisher implements Committer {
  private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

  private final ManifestCommitter committer;
  private final SharedPacks.Room room;

  /**
   * Commits to one manifest.
   *
   * @param committer its commit loop
   * @param room makes room in it
   */
  Publisher(ManifestCommitter committer, SharedPacks.Room room) {
    this.committer = committer;
    this.room = room;
  }

  @Override
  public <R> R commit(Change<R> change) throws IOException {
    try {
      return committer.commit(change);
    } catch (ManifestException.TooLarge e) {
      LOG.debug("refs and log are folded, since the manifest has no room for a change of packs", e);
    }
    room.make();
    return committer.commit(change);
  }
}

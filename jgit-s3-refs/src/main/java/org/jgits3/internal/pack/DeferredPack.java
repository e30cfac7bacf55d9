// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.lib.AnyObjectId;
import org.jgits3.internal.commit.UnlistedPack;
import org.jgits3.internal.pack.file.S3PackDescription;

/** Pack that was received or inserted, and that only the handles of its request see. */
final class DeferredPack extends UnlistedPack {
  private final S3PackDescription description;
  private final S3ObjDatabase writer;
  private final Quarantine quarantine;

  /**
   * Creates a pack that waits.
   *
   * @param description the pack, whose files are in the store
   * @param writer handle that received or inserted it
   * @param quarantine packs that it is listed together with
   */
  DeferredPack(S3PackDescription description, S3ObjDatabase writer, Quarantine quarantine) {
    super(description.toEntry());
    this.description = description;
    this.writer = writer;
    this.quarantine = quarantine;
  }

  S3PackDescription description() {
    return description;
  }

  /** Tests whether the pack has an object; tries again to load an index that could not be read. */
  boolean has(AnyObjectId id, DfsReader reader) throws IOException {
    return writer.createDfsPackFile(DfsBlockCache.getInstance(), description).hasObject(reader, id);
  }

  S3ObjDatabase writer() {
    return writer;
  }

  Quarantine quarantine() {
    return quarantine;
  }

  /** Tests whether the pack is of a push, which may be refused. */
  boolean wasReceived() {
    return description.getPackSource() == PackSource.RECEIVE;
  }
}

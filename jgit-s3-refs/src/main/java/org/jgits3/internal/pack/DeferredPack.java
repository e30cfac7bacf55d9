// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.lib.AnyObjectId;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.PackEntry;

/**
 * Pack that is in the store, and not yet listed by a manifest. Its state changes under the lock of
 * {@link DeferredPacks}.
 */
final class DeferredPack {
  /** States of the pack. Only the thread that set {@link #PUBLISHING} may leave that state. */
  enum State {
    /** Visible only to the handles of its request, and listed by no manifest. */
    HIDDEN,
    /** Part of exactly one commit, which is not decided yet. */
    PUBLISHING,
    /** Was listed; the manifest tells whether it still is. */
    PUBLISHED,
    /** A commit that lists it may have been applied, or may still be. */
    IN_DOUBT,
    /** No manifest will ever list it. */
    FORGOTTEN
  }

  private final S3PackDescription description;
  private final PackEntry entry;
  private final S3ObjDatabase writer;
  private final Quarantine quarantine;
  private State state = State.HIDDEN;

  /**
   * Creates a pack that waits.
   *
   * @param description the pack, whose files are in the store
   * @param writer handle that received or inserted it
   * @param quarantine packs that it is listed together with
   */
  DeferredPack(S3PackDescription description, S3ObjDatabase writer, Quarantine quarantine) {
    this.description = description;
    this.entry = description.toEntry();
    this.writer = writer;
    this.quarantine = quarantine;
  }

  S3PackDescription description() {
    return description;
  }

  /** Entry of the pack for a manifest. */
  PackEntry entry() {
    return entry;
  }

  /** Tests whether the pack has an object; tries again to load an index that could not be read. */
  boolean has(AnyObjectId id, DfsReader reader) throws IOException {
    return writer.createDfsPackFile(DfsBlockCache.getInstance(), description).hasObject(reader, id);
  }

  State state() {
    return state;
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

  void become(State next) {
    state = next;
  }
}

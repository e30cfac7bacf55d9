// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.PackEntry;

/**
 * Pack that is in the store, and not yet listed by a manifest. Its state changes under the lock of
 * {@link DeferredPacks}.
 */
final class DeferredPack {
  /** States of the pack. Only the thread that set {@link #PUBLISHING} may leave that state. */
  enum State {
    /** Visible only to the handle that received it, and listed by no manifest. */
    HIDDEN,
    /** Part of a commit that is not decided yet, and of no other. */
    PUBLISHING,
    /** Listed once; the manifest tells if it still is. */
    PUBLISHED,
    /** A commit that lists it may have been applied, or may still be. */
    IN_DOUBT,
    /** No manifest will ever list it. */
    FORGOTTEN
  }

  private final S3PackDescription description;
  private final PackEntry entry;
  private final DfsPackFile file;
  private State state = State.HIDDEN;
  private volatile boolean kept;

  DeferredPack(S3PackDescription description, DfsPackFile file) {
    this.description = description;
    this.entry = description.toEntry();
    this.file = file;
    this.kept = description.getPackSource() == PackSource.INSERT;
  }

  S3PackDescription description() {
    return description;
  }

  /** Entry of the pack for a manifest. */
  PackEntry entry() {
    return entry;
  }

  DfsPackFile file() {
    return file;
  }

  State state() {
    return state;
  }

  /** Tests whether the pack is to be published though no ref leads into it: others rely on it. */
  boolean isKept() {
    return kept;
  }

  void keep() {
    kept = true;
  }

  void become(State next) {
    state = next;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.PackEntry;

/**
 * A pack that is in the store, and that no manifest lists yet. Its state changes under the lock of
 * {@link DeferredPacks}.
 */
final class DeferredPack {
  /** What may become of it. Nobody but the one who set {@link #PUBLISHING} may leave that state. */
  enum State {
    /** Seen by the handle that received it only, and listed by no manifest. */
    HIDDEN,
    /** Part of a commit that is not decided yet, and of no other. */
    PUBLISHING,
    /** It was listed; whether it still is, the manifest says. */
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

  DeferredPack(S3PackDescription description, DfsPackFile file) {
    this.description = description;
    this.entry = description.toEntry();
    this.file = file;
  }

  S3PackDescription description() {
    return description;
  }

  /** What a manifest will say of it. */
  PackEntry entry() {
    return entry;
  }

  DfsPackFile file() {
    return file;
  }

  State state() {
    return state;
  }

  void become(State next) {
    state = next;
  }
}

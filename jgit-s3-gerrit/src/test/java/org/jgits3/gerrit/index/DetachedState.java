// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import org.eclipse.jgit.lib.Config;

/** State of a Gerrit without indexes and caches, for tests that replace what they call. */
public abstract class DetachedState extends LocalState {
  protected DetachedState(IndexedHere indexedHere) {
    super(
        new Config(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        indexedHere);
  }
}

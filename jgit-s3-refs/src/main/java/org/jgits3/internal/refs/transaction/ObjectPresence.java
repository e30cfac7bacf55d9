// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefDatabase;
import org.jgits3.internal.commit.UnlistedPack;

/** Knowledge of a handle about objects that refs are to point to. Safe for use by many threads. */
public interface ObjectPresence {
  /**
   * Checks that everything reachable from objects is in packs that are listed at this call, or
   * later.
   *
   * @param ids the objects
   * @param refs refs as of this call, or later; everything reachable from them exists
   * @throws org.eclipse.jgit.errors.MissingObjectException if something is missing
   * @throws IOException if this cannot be determined
   */
  void checkComplete(Set<ObjectId> ids, RefDatabase refs) throws IOException;

  /**
   * Tests whether the handle may know of objects that no manifest has ever listed. Then a known
   * value is no proof that all objects it leads to were listed.
   *
   * @return false if all objects that the handle can have found are listed or its own
   */
  boolean mayKnowHidden();

  /**
   * Packs that refs may lead into and that no manifest has listed yet. To be listed by the write
   * that sets these refs.
   *
   * @return the packs, as of this call
   */
  List<UnlistedPack> unlisted();
}

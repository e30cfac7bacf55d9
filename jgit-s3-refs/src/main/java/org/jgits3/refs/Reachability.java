// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.ObjectWalk;

/** Whether everything that objects lead to is there. */
final class Reachability {
  /** Refs at which the walk ends, since all of them lead to what is there; more would cost more. */
  private static final int KNOWN = 2000;

  private Reachability() {}

  /**
   * Walks from objects to all they lead to, as far as no ref leads there already.
   *
   * @param repository where they are
   * @param tips the objects
   * @param refs refs of the repository
   * @throws IOException if an object is missing, or cannot be read
   */
  static void check(Repository repository, Collection<ObjectId> tips, List<Ref> refs)
      throws IOException {
    try (ObjectWalk walk = new ObjectWalk(repository)) {
      for (ObjectId tip : tips) {
        walk.markStart(walk.parseAny(tip));
      }
      for (Ref ref : refs.subList(0, Math.min(refs.size(), KNOWN))) {
        walk.markUninteresting(walk.parseAny(ref.getObjectId()));
      }
      walk.checkConnectivity();
    } catch (MissingObjectException e) {
      throw new IOException(
          "object "
              + e.getObjectId().name()
              + " was removed by a garbage collection meanwhile; nothing was done, push again",
          e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.Set;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.pack.PackConfig;

/** Selects objects reachable from refs, to be written as one pack. */
final class Selection {
  private Selection() {}

  /**
   * Selects objects. Reuses deltas as they are stored, with their checksums verified, and computes
   * none, so that the memory depends on the number of objects and not on their content.
   *
   * @param repository repository with the objects
   * @param tips objects to begin with
   * @param known objects that are left out, with all that is reachable from them; those that the
   *     repository does not have are ignored
   * @param monitor receives the number of objects found
   * @return the writer of the pack; to be closed
   * @throws org.eclipse.jgit.errors.MissingObjectException if an object that is needed is missing
   * @throws IOException if an object cannot be read
   */
  static PackWriter of(
      Repository repository, Set<ObjectId> tips, Set<ObjectId> known, ProgressMonitor monitor)
      throws IOException {
    PackConfig config = new PackConfig();
    config.setDeltaCompress(false);
    config.setBuildBitmaps(false);
    PackWriter writer = new PackWriter(config, repository.newObjectReader());
    try {
      writer.setDeltaBaseAsOffset(true);
      writer.setReuseValidatingObjects(true);
      writer.setUseCachedPacks(false); // its index could not be written
      writer.preparePack(monitor, tips, known);
      return writer;
    } catch (IOException | RuntimeException | Error e) {
      writer.close();
      throw e;
    }
  }
}

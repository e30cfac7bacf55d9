// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.Set;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.pack.PackConfig;

/** Selects all objects that refs lead to, to be written as one pack. */
final class Selection {
  private Selection() {}

  /**
   * Selects objects. Deltas are taken over as they are stored, their checksums verified, and none
   * are made: what the selection takes is memory for each object, not for its content.
   *
   * @param repository where they are
   * @param tips objects to begin with; shallow commits of the repository end the history
   * @param monitor told of the objects found
   * @return the pack to be written; to be closed
   * @throws org.eclipse.jgit.errors.MissingObjectException if an object that is needed is missing
   * @throws IOException if an object cannot be read
   */
  static PackWriter of(Repository repository, Set<ObjectId> tips, ProgressMonitor monitor)
      throws IOException {
    PackConfig config = new PackConfig();
    config.setDeltaCompress(false);
    config.setBuildBitmaps(false);
    PackWriter writer = new PackWriter(config, repository.newObjectReader());
    try {
      writer.setDeltaBaseAsOffset(true);
      writer.setReuseValidatingObjects(true);
      writer.setUseCachedPacks(false); // its index could not be written
      writer.preparePack(monitor, tips, PackWriter.NONE);
      return writer;
    } catch (IOException | RuntimeException | Error e) {
      writer.close();
      throw e;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsOutputStream;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.pack.check.CheckedPackStream;
import org.jgits3.internal.pack.file.S3PackDescription;

/**
 * A pack of objects that JGit selected in another repository: streamed to the store, never to the
 * local disk, and listed once it is complete.
 */
public final class ImportedPack {
  private ImportedPack() {}

  /**
   * Writes a pack with its index, and lists it. Writes none if no object was selected.
   *
   * @param database objects of the repository that gets the pack
   * @param kind {@code GC} if it holds exactly the objects that refs lead to, and so counts as
   *     collected
   * @param writer has prepared the pack; its index must not be disabled
   * @param monitor receives the number of objects written
   * @throws CorruptObjectException if Git would not read the pack; nothing is listed then
   * @throws IOException if an object cannot be read or the store does not take the pack; nothing is
   *     listed then
   */
  public static void write(
      S3ObjDatabase database, PackSource kind, PackWriter writer, ProgressMonitor monitor)
      throws IOException {
    if (writer.getObjectCount() == 0) {
      return;
    }
    S3PackDescription pack = database.newPack(kind);
    try {
      write(database, pack, PackExt.PACK, out -> CheckedPackStream.write(writer, monitor, out));
      write(database, pack, PackExt.INDEX, writer::writeIndex);
      pack.setObjectCount(writer.getStatistics().getTotalObjects());
      pack.setDeltaCount(writer.getStatistics().getTotalDeltas());
      database.commitPackImpl(List.of(pack), null);
    } catch (IOException | RuntimeException | Error e) {
      database.rollbackPack(List.of(pack));
      throw e;
    }
  }

  private static void write(
      S3ObjDatabase database,
      S3PackDescription pack,
      PackExt ext,
      IoConsumer<DfsOutputStream> content)
      throws IOException {
    try (DfsOutputStream out = database.writeFile(pack, ext)) {
      content.accept(out);
      pack.addFileExt(ext);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.internal.pack.check.CheckedPackStream;

/** Writes packs into a directory, each with its index. */
final class PackDirectory {
  /** Beginning of the names of unfinished files, which {@code git prune} removes. */
  private static final String UNFINISHED = "tmp_pack_";

  private PackDirectory() {}

  /**
   * Writes the selected objects, and forces them to the disk. Readers see the pack when it is
   * complete.
   *
   * @param packs directory of packs
   * @param selected the objects, at least one
   * @return bytes of the pack
   */
  static long write(Path packs, PackWriter selected, ProgressMonitor monitor) throws IOException {
    String name = "pack-" + selected.computeName().name();
    Path pack = packs.resolve(name + ".pack");
    Path index = packs.resolve(name + ".idx");
    if (Files.exists(index)) { // by an update that was killed before it moved the refs
      DurableFiles.sync(packs);
      return Files.size(pack);
    }
    String unfinished = UNFINISHED + UUID.randomUUID();
    Path newPack = packs.resolve(unfinished + ".pack");
    Path newIndex = packs.resolve(unfinished + ".idx");
    try {
      DurableFiles.write(newPack, out -> CheckedPackStream.write(selected, monitor, out));
      DurableFiles.write(newIndex, selected::writeIndex);
      Files.move(newPack, pack, StandardCopyOption.ATOMIC_MOVE);
      Files.move(newIndex, index, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(newPack);
      Files.deleteIfExists(newIndex);
    }
    DurableFiles.sync(packs);
    return Files.size(pack);
  }
}

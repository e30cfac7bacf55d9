// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import org.eclipse.jgit.errors.StoredObjectRepresentationNotAvailableException;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.internal.storage.pack.CachedPack;
import org.eclipse.jgit.internal.storage.pack.ObjectReuseAsIs;
import org.eclipse.jgit.internal.storage.pack.ObjectToPack;
import org.eclipse.jgit.internal.storage.pack.PackOutputStream;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.BitmapIndex.BitmapBuilder;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.internal.pack.limit.TransferLimits.Transfer;

/**
 * Reads objects for a fetch, and takes memory for each that is going to be sent. A filter and not a
 * subclass, because the return type of {@link DfsReader#newObjectToPack} is not visible here.
 */
final class SendingReader extends ObjectReader.Filter implements ObjectReuseAsIs {
  private final DfsReader reader;
  private final Transfer memory;

  SendingReader(DfsReader reader, Transfer memory) {
    this.reader = reader;
    this.memory = memory;
  }

  @Override
  protected ObjectReader delegate() {
    return reader;
  }

  @Override
  public boolean isNotLargerThan(AnyObjectId id, int typeHint, long limit) throws IOException {
    return reader.isNotLargerThan(id, typeHint, limit);
  }

  /**
   * As documented by JGit.
   *
   * @throws UncheckedIOException if there is no memory for the object
   */
  @Override
  public ObjectToPack newObjectToPack(AnyObjectId id, int type) {
    try {
      memory.takeForSent();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ObjectReuseAsIs reuse = reader;
    return reuse.newObjectToPack(id, type);
  }

  @Override
  public void selectObjectRepresentation(
      PackWriter packer, ProgressMonitor monitor, Iterable<ObjectToPack> objects)
      throws IOException {
    reader.selectObjectRepresentation(packer, monitor, objects);
  }

  @Override
  public void writeObjects(PackOutputStream out, List<ObjectToPack> objects) throws IOException {
    reader.writeObjects(out, objects);
  }

  @Override
  public void copyObjectAsIs(PackOutputStream out, ObjectToPack object, boolean validate)
      throws IOException, StoredObjectRepresentationNotAvailableException {
    reader.copyObjectAsIs(out, object, validate);
  }

  @Override
  public void copyPackAsIs(PackOutputStream out, CachedPack pack) throws IOException {
    reader.copyPackAsIs(out, pack);
  }

  @Override
  public Collection<CachedPack> getCachedPacksAndUpdate(BitmapBuilder needed) throws IOException {
    return reader.getCachedPacksAndUpdate(needed);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.StoredObjectRepresentationNotAvailableException;
import org.eclipse.jgit.internal.storage.commitgraph.CommitGraph;
import org.eclipse.jgit.internal.storage.dfs.DfsCachedPack;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.internal.storage.file.PackIndex;
import org.eclipse.jgit.internal.storage.pack.CachedPack;
import org.eclipse.jgit.internal.storage.pack.ObjectToPack;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.internal.storage.pack.PackOutputStream;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.AbbreviatedObjectId;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.AsyncObjectLoaderQueue;
import org.eclipse.jgit.lib.BitmapIndex;
import org.eclipse.jgit.lib.BitmapIndex.BitmapBuilder;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.internal.function.Causes;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.pack.limit.TransferLimits.Transfer;
import org.jgits3.store.StoreException;

/**
 * Reads objects. If another handle of the process has received a missing object in a pack and not
 * published it yet, the reader publishes that pack. Otherwise the first miss asks the store once
 * for newer packs, because another process may have pushed the object. Later misses of the same
 * reader are final.
 *
 * <p>A pack may vanish while it is read, when another process has moved its objects to a new pack
 * and a sweep has deleted it. The look-up is then repeated in the current packs.
 */
final class S3Reader extends DfsReader {
  /** Number of vanished packs, over all look-ups, at which a reader gives up. */
  private static final int MOST_VANISHED = 100;

  private final S3ObjDatabase database;
  private boolean writer;

  /** Memory for objects that a pack parser holds as a whole; null for other readers. */
  @Nullable private Transfer memory;

  private boolean refreshed;
  private boolean prepared;
  private int vanished;

  S3Reader(S3ObjDatabase database) {
    super(database);
    this.database = database;
  }

  /**
   * Makes this the reader of a writer, which does not ask for newer packs when an object is
   * missing. If another process has just written the object, it is written once more; that is
   * harmless, and cheaper than a request for each object. Opening an object still asks.
   */
  S3Reader forWriter() {
    writer = true;
    return this;
  }

  /** As {@link #forWriter}, for a pack parser. */
  S3Reader forParser(Transfer share) {
    memory = share;
    return forWriter();
  }

  /** Does a look-up; if a pack has vanished, repeats it in newer packs. */
  private <T> T lookUp(IoSupplier<T> look) throws IOException {
    while (true) {
      try {
        prepare();
        return look.get();
      } catch (IOException e) {
        if (vanished == MOST_VANISHED || !database.vanished(e)) {
          throw e;
        }
        vanished++;
        prepared = false;
        close(); // which lets go of the pack; JGit allows to use a closed reader again
      }
    }
  }

  private void prepare() throws IOException {
    if (!prepared) {
      prepared = true;
      database.loadIndexes();
    }
  }

  @Override
  public boolean has(AnyObjectId id) throws IOException {
    return lookUp(() -> super.has(id) || (!writer && appeared(id) && super.has(id)));
  }

  /**
   * As documented by JGit. A pack parser that passes no type reads the base of a delta, as a whole.
   * It reads objects for a comparison as streams, or has them in memory already.
   */
  @Override
  public ObjectLoader open(AnyObjectId id, int typeHint) throws IOException {
    database.checkTime();
    if (memory != null && typeHint == OBJ_ANY) {
      ObjectId named = id.copy();
      memory.takeForLargest(getObjectSize(id, typeHint), () -> "object " + named.name() + ",");
    }
    return lookUp(() -> twice(id, () -> super.open(id, typeHint)));
  }

  /** Does a look-up in this reader, and repeats it once if the object has appeared since. */
  private <T> T twice(AnyObjectId id, IoSupplier<T> here) throws IOException {
    try {
      return here.get();
    } catch (MissingObjectException e) {
      if (appeared(id)) {
        return here.get();
      }
      throw e;
    }
  }

  /** As documented by JGit. If an object cannot be opened, it is looked up once more on its own. */
  @Override
  public <T extends ObjectId> AsyncObjectLoaderQueue<T> open(
      Iterable<T> ids, boolean reportMissing) {
    return new OpeningQueue<>(super.open(ids, reportMissing));
  }

  @Override
  public long getObjectSize(AnyObjectId id, int typeHint) throws IOException {
    return lookUp(() -> twice(id, () -> super.getObjectSize(id, typeHint)));
  }

  /** Tests whether it is worth looking for an object again. */
  private boolean appeared(AnyObjectId id) throws IOException {
    return database.publishHidden(id, this) || refreshOnce();
  }

  @Override
  public boolean isNotLargerThan(AnyObjectId id, int typeHint, long limit) throws IOException {
    return lookUp(() -> twice(id, () -> super.isNotLargerThan(id, typeHint, limit)));
  }

  @Override
  public Collection<ObjectId> resolve(AbbreviatedObjectId id) throws IOException {
    return lookUp(() -> super.resolve(id));
  }

  @Override
  public BitmapIndex getBitmapIndex() throws IOException {
    return lookUp(super::getBitmapIndex);
  }

  @Override
  public Optional<CommitGraph> getCommitGraph() throws IOException {
    return lookUp(super::getCommitGraph);
  }

  @Override
  public Collection<CachedPack> getCachedPacksAndUpdate(BitmapBuilder needBitmap)
      throws IOException {
    return lookUp(() -> super.getCachedPacksAndUpdate(needBitmap));
  }

  @Override
  public void selectObjectRepresentation(
      PackWriter packer, ProgressMonitor monitor, Iterable<ObjectToPack> objects)
      throws IOException {
    lookUp(
        () -> {
          super.selectObjectRepresentation(packer, monitor, objects);
          return true;
        });
  }

  /**
   * As documented by JGit. If a representation is not available, JGit chooses again, from newer
   * packs if the pack vanished. If the store failed, throws, because JGit would choose the same
   * representation again.
   */
  @Override
  public void copyObjectAsIs(PackOutputStream out, ObjectToPack object, boolean validate)
      throws IOException, StoredObjectRepresentationNotAvailableException {
    try {
      super.copyObjectAsIs(out, object, validate);
    } catch (StoredObjectRepresentationNotAvailableException e) {
      if (Causes.find(e, StoreException.class).isPresent() && !database.vanished(e)) {
        throw new IOException(e.getCause());
      }
      throw e;
    }
  }

  /**
   * As documented by JGit. If the pack vanished before its first byte was sent, its objects are
   * sent one by one, from the packs that have them now; the client knows only their number.
   *
   * @throws IOException if it vanished later: sent bytes cannot be taken back
   */
  @Override
  public void copyPackAsIs(PackOutputStream out, CachedPack pack) throws IOException {
    long before = out.length();
    try {
      super.copyPackAsIs(out, pack);
    } catch (IOException e) {
      if (!(pack instanceof DfsCachedPack cached) || !database.vanished(e)) {
        throw e;
      }
      if (out.length() != before) {
        throw new IOException(
            cached.getPackDescription().getFileName(PackExt.PACK)
                + " was replaced and swept while it was being sent; fetch again",
            e);
      }
      copyObjects(out, cached.getPackFile().getPackIndex(this));
    }
  }

  private void copyObjects(PackOutputStream out, PackIndex index) throws IOException {
    Deflater deflater = new Deflater();
    try {
      for (PackIndex.MutableEntry entry : index) {
        ObjectId id = entry.toObjectId();
        ObjectLoader object = open(id, OBJ_ANY);
        out.writeHeader(new ObjectToPack(id, object.getType()), object.getSize());
        deflater.reset();
        DeflaterOutputStream deflated = new DeflaterOutputStream(out, deflater);
        object.copyTo(deflated);
        deflated.finish();
      }
    } finally {
      deflater.end();
    }
  }

  private boolean refreshOnce() throws IOException {
    if (refreshed) {
      return false;
    }
    refreshed = true;
    database.refresh();
    return true; // even if the process knew them all: another thread may have learned of them
    // meanwhile
  }

  /** Opens objects in the order that suits their packs, and again if that fails. */
  private final class OpeningQueue<T extends ObjectId> implements AsyncObjectLoaderQueue<T> {
    private final AsyncObjectLoaderQueue<T> queue;

    OpeningQueue(AsyncObjectLoaderQueue<T> queue) {
      this.queue = queue;
    }

    @Override
    public boolean next() throws IOException {
      return queue.next();
    }

    @Override
    public T getCurrent() {
      return queue.getCurrent();
    }

    @Override
    public ObjectId getObjectId() {
      return queue.getObjectId();
    }

    @Override
    public ObjectLoader open() throws IOException {
      try {
        return queue.open();
      } catch (IOException e) {
        if (e instanceof MissingObjectException || database.vanished(e)) {
          return S3Reader.this.open(getObjectId());
        }
        throw e;
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      return queue.cancel(mayInterruptIfRunning);
    }

    @Override
    public void release() {
      queue.release();
    }
  }
}

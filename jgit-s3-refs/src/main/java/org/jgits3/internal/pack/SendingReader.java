// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.StoredObjectRepresentationNotAvailableException;
import org.eclipse.jgit.internal.storage.commitgraph.ChangedPathFilter;
import org.eclipse.jgit.internal.storage.commitgraph.CommitGraph;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.internal.storage.pack.CachedPack;
import org.eclipse.jgit.internal.storage.pack.ObjectReuseAsIs;
import org.eclipse.jgit.internal.storage.pack.ObjectToPack;
import org.eclipse.jgit.internal.storage.pack.PackOutputStream;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.BitmapIndex.BitmapBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.util.NB;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.pack.limit.TransferLimits;
import org.jgits3.internal.pack.limit.TransferLimits.Transfer;

/**
 * Reads objects for a fetch, and takes memory for each that is going to be sent, for each commit
 * that a walk reads, and for what the trees of the client name. JGit keeps all of these as long as
 * the reader is open. A filter and not a subclass, because the return type of {@link
 * DfsReader#newObjectToPack} is not visible here. Used by one thread.
 *
 * <p>Trees that are read before the first object to be sent is known are those of commits that the
 * client has, or are not in a bitmap: JGit notes each object in them. Later it keeps the bytes of
 * those that it reads once more, to find bases of deltas.
 */
final class SendingReader extends ObjectReader.Filter implements ObjectReuseAsIs {
  /** Bytes for an object that a tree names. Computed: 48 of JGit, and 16 to 48 for its id. */
  private static final long FOUND_BYTES = 100;

  private final DfsReader reader;
  private final Transfer memory;

  /** Commits read since the reader was closed last, without those that are sent. */
  private long walked;

  /** True if the last thing read was a commit, and not the graph. */
  private boolean opened;

  /** Trees read before the first object was sent, and the objects in them. */
  private IdSet found = new IdSet();

  /** Bytes for which no memory is taken yet. */
  private long untaken;

  /** True once an object to be sent is known. */
  private boolean sends;

  SendingReader(DfsReader reader, Transfer memory) {
    this.reader = reader;
    this.memory = memory;
  }

  @Override
  protected ObjectReader delegate() {
    return reader;
  }

  @Override
  public ObjectReader newReader() {
    return new SendingReader((DfsReader) reader.newReader(), memory);
  }

  /**
   * As documented by JGit.
   *
   * @throws UncheckedIOException if there is no memory for the commit
   */
  @Override
  public ObjectLoader open(AnyObjectId id, int typeHint) throws IOException {
    if (typeHint == Constants.OBJ_COMMIT) {
      walk();
      opened = true;
    }
    ObjectLoader object = reader.open(id, typeHint);
    if (typeHint == Constants.OBJ_TREE) {
      walk(id, object);
    }
    return object;
  }

  private void walk(AnyObjectId id, ObjectLoader tree) {
    take(() -> memory.takeForTree(tree.getSize(), id));
    if (!sends) {
      found.add(IdSet.start(id));
      walk(FOUND_BYTES * newIn(tree.getCachedBytes()));
    } else if (found.contains(IdSet.start(id))) {
      walk(tree.getSize());
    }
  }

  /** Number of objects that a tree names and that were not found before. */
  private long newIn(byte[] tree) {
    int count = 0;
    for (int i = 0; i < tree.length; i++) {
      if (tree[i] == 0 && i + Constants.OBJECT_ID_LENGTH < tree.length) { // end of a name
        count += found.add(NB.decodeInt64(tree, i + 1)) ? 1 : 0;
        i += Constants.OBJECT_ID_LENGTH;
      }
    }
    return count;
  }

  private void walk(long bytes) {
    for (untaken += bytes;
        untaken >= TransferLimits.SENT_BYTES;
        untaken -= TransferLimits.SENT_BYTES) {
      walk();
    }
  }

  /**
   * As documented by JGit. To walk through this graph, some versions of JGit open each commit, too.
   */
  @Override
  public Optional<CommitGraph> getCommitGraph() throws IOException {
    return reader.getCommitGraph().map(WalkedGraph::new);
  }

  private void walkInGraph() {
    if (!opened) {
      walk();
    }
    opened = false;
  }

  private void walk() {
    take(memory::takeForWalked);
    walked++;
  }

  private static void take(IoRunnable memory) {
    try {
      memory.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Releases the reader, and the memory of its walks. */
  @Override
  public void close() {
    memory.giveForWalked(walked);
    walked = 0;
    found = new IdSet();
    sends = false;
    reader.close();
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
    sends = true;
    if (type == Constants.OBJ_COMMIT && walked > 0) {
      walked--;
    } else {
      take(memory::takeForSent);
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

  /** A commit graph that counts each commit which a walk reads from it. */
  private final class WalkedGraph implements CommitGraph {
    private final CommitGraph graph;

    WalkedGraph(CommitGraph graph) {
      this.graph = graph;
    }

    @Override
    public int findGraphPosition(AnyObjectId commit) {
      return graph.findGraphPosition(commit);
    }

    @Override
    public CommitData getCommitData(int position) {
      walkInGraph();
      return graph.getCommitData(position);
    }

    @Override
    public ObjectId getObjectId(int position) {
      return graph.getObjectId(position);
    }

    @Override
    public ChangedPathFilter getChangedPathFilter(int position) {
      return graph.getChangedPathFilter(position);
    }

    @Override
    public long getCommitCnt() {
      return graph.getCommitCnt();
    }
  }
}

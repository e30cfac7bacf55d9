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
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.pack.limit.TransferLimits.Transfer;

/**
 * Reads objects for a fetch, and takes memory for each that is going to be sent, and for each
 * commit that a walk reads. JGit keeps all commits of a walk, as long as the reader is open. A
 * filter and not a subclass, because the return type of {@link DfsReader#newObjectToPack} is not
 * visible here. Used by one thread.
 */
final class SendingReader extends ObjectReader.Filter implements ObjectReuseAsIs {
  private final DfsReader reader;
  private final Transfer memory;

  /** Commits read since the reader was closed last, without those that are sent. */
  private long walked;

  /** True if the last thing read was a commit, and not the graph. */
  private boolean opened;

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
    return reader.open(id, typeHint);
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

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.internal.storage.dfs.DfsInserter;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase;
import org.eclipse.jgit.internal.storage.dfs.DfsPackParser;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.GitmoduleEntry;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.transport.PackLock;
import org.eclipse.jgit.transport.PackedObjectInfo;
import org.jgits3.internal.pack.file.S3PackDescription;

/**
 * Receives a pack, and takes the memory for its objects from a share before JGit allocates it.
 * Fails when the pack takes more work than is allowed. Knows whether it serves a push. Used by one
 * thread.
 */
final class PushParser extends DfsPackParser {
  /** Begins the text by which {@link org.eclipse.jgit.transport.ReceivePack} names itself. */
  private static final String PUSH = "jgit receive-pack";

  private final DfsObjDatabase database;
  private final TransferMemory.Share memory;
  private final PushLimits.Work work;
  private final DeltaBases bases = new DeltaBases();
  private boolean resolving;
  private long limit;
  @Nullable private ObjectChecker checker;

  PushParser(
      DfsObjDatabase database,
      DfsInserter inserter,
      InputStream in,
      TransferMemory.Share memory,
      PushLimits.Work work) {
    super(database, inserter, in);
    this.database = database;
    this.memory = memory;
    this.work = work;
  }

  @Override
  public void setObjectChecker(@Nullable ObjectChecker oc) {
    checker = oc;
    super.setObjectChecker(oc);
  }

  /** As documented by JGit. Takes memory for the submodules, which the caller parses next. */
  @Override
  @Nullable
  public PackLock parse(ProgressMonitor receiving, ProgressMonitor resolving) throws IOException {
    PackLock lock;
    try {
      lock = super.parse(receiving, resolving);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) { // all that JGit says
      throw new CorruptObjectException("the pack has a delta that cannot be applied", e);
    }
    if (checker != null && !checker.getGitsubmodules().isEmpty()) {
      try (ObjectReader reader = database.newReader()) {
        for (GitmoduleEntry entry : checker.getGitsubmodules()) {
          memory.takeForSubmodules(reader.getObjectSize(entry.getBlobId(), ObjectReader.OBJ_ANY));
        }
      }
    }
    return lock;
  }

  @Override
  protected void onPackHeader(long objectCount) throws IOException {
    memory.takeForObjects(objectCount);
    super.onPackHeader(objectCount);
    if (getPackDescription() instanceof S3PackDescription pack
        && getLockMessage() != null
        && getLockMessage().startsWith(PUSH)) {
      pack.pushed();
    }
  }

  @Override
  protected void onBeginWholeObject(long streamPosition, int type, long inflatedSize)
      throws IOException {
    if (type != Constants.OBJ_BLOB) {
      memory.takeForLargest(inflatedSize);
    }
    super.onBeginWholeObject(streamPosition, type, inflatedSize);
  }

  @Override
  protected void onBeginOfsDelta(long streamPosition, long baseStreamPosition, long inflatedSize)
      throws IOException {
    memory.takeForLargest(inflatedSize);
    bases.delta(baseStreamPosition);
    super.onBeginOfsDelta(streamPosition, baseStreamPosition, inflatedSize);
  }

  @Override
  protected void onBeginRefDelta(long streamPosition, AnyObjectId baseId, long inflatedSize)
      throws IOException {
    memory.takeForLargest(inflatedSize);
    bases.delta(baseId);
    super.onBeginRefDelta(streamPosition, baseId, inflatedSize);
  }

  @Override
  public void setMaxObjectSizeLimit(long bytes) {
    limit = bytes;
    super.setMaxObjectSizeLimit(bytes);
  }

  /**
   * Called before a delta is applied. JGit reads the size of the result from the delta itself, and
   * compares it with the limit.
   */
  @Override
  protected ObjectTypeAndSize seekDatabase(UnresolvedDelta delta, ObjectTypeAndSize info)
      throws IOException {
    long fits = memory.largestThatFits();
    super.setMaxObjectSizeLimit(limit > 0 ? Math.min(limit, fits) : fits);
    return super.seekDatabase(delta, info);
  }

  /** Called before a base of deltas is inflated. */
  @Override
  protected ObjectTypeAndSize seekDatabase(PackedObjectInfo base, ObjectTypeAndSize info)
      throws IOException {
    ObjectTypeAndSize found = super.seekDatabase(base, info);
    memory.takeForLargest(found.size);
    begin(base, found.size);
    return found;
  }

  /** Called after a base of deltas that is missing in the pack was read from the repository. */
  @Override
  protected boolean onAppendBase(int type, byte[] data, PackedObjectInfo base) throws IOException {
    begin(base, data.length);
    return super.onAppendBase(type, data, base);
  }

  /**
   * Called for each piece of a compressed object, which may inflate to a thousand times as much.
   */
  @Override
  protected void onObjectData(Source src, byte[] raw, int pos, int len) throws IOException {
    work.checkTime();
    super.onObjectData(src, raw, pos, len);
  }

  private void begin(PackedObjectInfo base, long size) {
    resolving = true;
    bases.begin(base, size);
  }

  /** Called after a delta was applied; the result may be the base of the next one. */
  @Override
  protected void onInflatedObjectData(PackedObjectInfo object, int type, byte[] data)
      throws IOException {
    memory.takeForLargest(data.length);
    work.checkTime();
    if (resolving) { // before, an object that is no delta
      work.checkDepth(bases.resolved(object, data.length));
      memory.takeForBases(bases.bytesBesideNext());
    }
    super.onInflatedObjectData(object, type, data);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.TooLargeObjectInPackException;
import org.eclipse.jgit.errors.TransportException;
import org.eclipse.jgit.internal.storage.dfs.DfsInserter;
import org.eclipse.jgit.internal.storage.dfs.DfsPackParser;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.GitmoduleEntry;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.transport.PackLock;
import org.eclipse.jgit.transport.PackedObjectInfo;
import org.jgits3.internal.pack.check.ObjectFaults;
import org.jgits3.internal.pack.check.PackCheck;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.internal.pack.limit.TransferLimits.Transfer;

/**
 * Receives a pack, and takes the memory for its objects from a share before JGit allocates it.
 * Refuses a pack that Git would not read, or that takes more work than is allowed. Knows whether it
 * serves a push. Used by one thread.
 */
final class PushParser extends DfsPackParser {
  /** Begins the text by which {@link org.eclipse.jgit.transport.ReceivePack} names itself. */
  private static final String PUSH = "jgit receive-pack";

  /** Bytes of the lines of a commit that name its tree and a parent. */
  private static final int TREE_LINE = 46;

  private static final int PARENT_LINE = 48;

  private final S3ObjDatabase database;
  private final Transfer transfer;
  private final DeltaBases bases = new DeltaBases();
  private final PackCheck check = new PackCheck();
  private boolean resolving;
  private long limit;
  @Nullable private ObjectChecker checker;

  PushParser(S3ObjDatabase database, DfsInserter inserter, InputStream in, Transfer transfer) {
    super(database, inserter, in);
    this.database = database;
    this.transfer = transfer;
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
    try (check) {
      lock = super.parse(receiving, resolving);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) { // all that JGit says
      throw new CorruptObjectException("the pack has a delta that cannot be applied", e);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (TooLargeObjectInPackException e) { // JGit compares before it calls this
      throw new TransportException(check.next() + ": " + e.getMessage(), e);
    }
    if (checker != null && !checker.getGitsubmodules().isEmpty()) {
      try (ObjectReader reader = database.newReader()) {
        for (GitmoduleEntry entry : checker.getGitsubmodules()) {
          transfer.takeForSubmodules(reader.getObjectSize(entry.getBlobId(), ObjectReader.OBJ_ANY));
        }
      }
    }
    return lock;
  }

  @Override
  protected void onPackHeader(long objectCount) throws IOException {
    transfer.takeForObjects(objectCount);
    if (objectCount > Integer.MAX_VALUE) {
      throw new TransportException(
          "a pack of " + objectCount + " objects is too large for an index");
    }
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
    check.beginWhole(streamPosition);
    if (type != Constants.OBJ_BLOB) {
      transfer.takeForLargest(inflatedSize, check::named);
    }
    super.onBeginWholeObject(streamPosition, type, inflatedSize);
  }

  @Override
  protected void onBeginOfsDelta(long streamPosition, long baseStreamPosition, long inflatedSize)
      throws IOException {
    check.beginDelta(streamPosition, baseStreamPosition);
    transfer.takeForLargest(inflatedSize, check::named);
    bases.delta(baseStreamPosition);
    super.onBeginOfsDelta(streamPosition, baseStreamPosition, inflatedSize);
  }

  @Override
  protected void onBeginRefDelta(long streamPosition, AnyObjectId baseId, long inflatedSize)
      throws IOException {
    check.beginDelta(streamPosition);
    transfer.takeForLargest(inflatedSize, check::named);
    bases.delta(baseId);
    super.onBeginRefDelta(streamPosition, baseId, inflatedSize);
  }

  @Override
  public void setMaxObjectSizeLimit(long bytes) {
    limit = bytes;
    super.setMaxObjectSizeLimit(bytes);
  }

  @Override
  protected void onObjectHeader(Source src, byte[] raw, int pos, int len) throws IOException {
    if (src == Source.INPUT) {
      check.header(raw, pos, len);
    }
    super.onObjectHeader(src, raw, pos, len);
  }

  /** Called when a delta has arrived, long before it is applied. */
  @Override
  protected UnresolvedDelta onEndDelta() throws IOException {
    long size = check.endDelta();
    if (limit > 0 && size > limit) {
      throw new TransportException(
          check.named() + " makes one of " + size + " bytes, and the limit is " + limit);
    }
    transfer.takeForLargest(size, check::named);
    return super.onEndDelta();
  }

  /** Called before a base of deltas is inflated. */
  @Override
  protected ObjectTypeAndSize seekDatabase(PackedObjectInfo base, ObjectTypeAndSize info)
      throws IOException {
    ObjectTypeAndSize found = super.seekDatabase(base, info);
    transfer.takeForLargest(found.size, () -> named(base));
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
    transfer.checkTime();
    if (src == Source.INPUT) {
      check.data(raw, pos, len);
    }
    super.onObjectData(src, raw, pos, len);
  }

  /** As documented by JGit, and for the faults that only Git finds. */
  @Override
  protected void verifySafeObject(AnyObjectId id, int type, byte[] data)
      throws CorruptObjectException {
    super.verifySafeObject(id, type, data);
    if (checker != null) {
      ObjectFaults.check(checker, id, type, data);
    }
  }

  private static String named(PackedObjectInfo object) {
    return "the object at byte " + object.getOffset() + " of the pack,";
  }

  private void begin(PackedObjectInfo base, long size) {
    resolving = true;
    bases.begin(base, size);
  }

  /** Called after a delta was applied; the result may be the base of the next one. */
  @Override
  protected void onInflatedObjectData(PackedObjectInfo object, int type, byte[] data)
      throws IOException {
    transfer.takeForLargest(data.length, () -> named(object));
    transfer.checkTime();
    if (type == Constants.OBJ_COMMIT) {
      transfer.checkParents(parents(data));
    }
    if (resolving) { // before, an object that is no delta
      check.resolved();
      transfer.checkDepth(bases.resolved(object, data.length));
      transfer.takeForBases(bases.bytesBesideNext());
    }
    super.onInflatedObjectData(object, type, data);
  }

  /** Counts the parents of a commit as JGit does when it reads them. */
  private static int parents(byte[] commit) {
    int count = 0;
    for (int at = TREE_LINE; at < commit.length && commit[at] == 'p'; at += PARENT_LINE) {
      count++;
    }
    return count;
  }

  /**
   * As documented by JGit, which calls this before it writes the index. JGit takes a base that it
   * has appended for a delta that it could not resolve.
   */
  @Override
  public List<PackedObjectInfo> getSortedObjectList(@Nullable Comparator<PackedObjectInfo> order) {
    List<PackedObjectInfo> sorted = super.getSortedObjectList(order);
    try {
      check.end(sorted);
    } catch (CorruptObjectException e) {
      throw new UncheckedIOException(e);
    }
    database.noteTypes(getPackDescription(), sorted);
    return sorted;
  }
}

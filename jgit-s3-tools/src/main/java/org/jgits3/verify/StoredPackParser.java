// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.TooLargeObjectInPackException;
import org.eclipse.jgit.internal.fsck.FsckPackParser;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectDatabase;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.transport.PackLock;
import org.jgits3.internal.pack.check.ObjectFaults;
import org.jgits3.internal.pack.check.PackCheck;

/** Checks a pack of the store. Used by one thread, for one pack. */
final class StoredPackParser extends FsckPackParser {
  /** Copies of an object that JGit has in memory while it applies a delta. */
  private static final int COPIES = 3;

  private final PackCheck check = new PackCheck();
  private final List<String> faults = new ArrayList<>();
  @Nullable private ObjectChecker checker;

  /**
   * Checks a pack.
   *
   * @param database has the pack
   * @param pack reads it
   * @param objects number of its objects; the pack itself may have another one
   */
  StoredPackParser(ObjectDatabase database, ReadableChannel pack, long objects) {
    super(database, pack);
    overwriteObjectCount(objects);
  }

  @Override
  public void setObjectChecker(@Nullable ObjectChecker oc) {
    checker = oc;
    super.setObjectChecker(oc);
  }

  /** As documented by JGit. If it finds no fault, looks for those that only Git finds. */
  @Override
  protected void verifySafeObject(AnyObjectId id, int type, byte[] data) {
    int before = getCorruptObjects().size();
    super.verifySafeObject(id, type, data);
    if (checker == null || getCorruptObjects().size() > before) {
      return;
    }
    try {
      ObjectFaults.check(checker, id, type, data);
    } catch (CorruptObjectException e) {
      faults.add(e.getMessage());
    }
  }

  /** Faults of commits and tags beside those of {@link #getCorruptObjects}. */
  List<String> faults() {
    return faults;
  }

  /**
   * As documented by JGit. Malformed commits, trees and tags do not end it.
   *
   * @throws CorruptObjectException if Git or JGit would not read the pack
   */
  @Override
  public PackLock parse(ProgressMonitor receiving, ProgressMonitor resolving) throws IOException {
    try (check) {
      return super.parse(receiving, resolving);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) { // all that JGit says
      throw new CorruptObjectException("the pack has a delta that cannot be applied", e);
    } catch (TooLargeObjectInPackException e) { // JGit compares before it calls this
      throw new CorruptObjectException(check.next() + ": " + e.getMessage(), e);
    }
  }

  @Override
  protected void onBeginWholeObject(long streamPosition, int type, long inflatedSize)
      throws IOException {
    check.beginWhole(streamPosition);
    super.onBeginWholeObject(streamPosition, type, inflatedSize);
  }

  @Override
  protected void onBeginOfsDelta(long streamPosition, long baseStreamPosition, long inflatedSize)
      throws IOException {
    check.beginDelta(streamPosition, baseStreamPosition);
    super.onBeginOfsDelta(streamPosition, baseStreamPosition, inflatedSize);
  }

  @Override
  protected void onBeginRefDelta(long streamPosition, AnyObjectId baseId, long inflatedSize)
      throws IOException {
    check.beginDelta(streamPosition);
    super.onBeginRefDelta(streamPosition, baseId, inflatedSize);
  }

  @Override
  protected void onObjectHeader(Source src, byte[] raw, int pos, int len) throws IOException {
    if (src == Source.INPUT) {
      check.header(raw, pos, len);
    }
    super.onObjectHeader(src, raw, pos, len);
  }

  @Override
  protected void onObjectData(Source src, byte[] raw, int pos, int len) throws IOException {
    if (src == Source.INPUT) {
      check.data(raw, pos, len);
    }
    super.onObjectData(src, raw, pos, len);
  }

  @Override
  protected UnresolvedDelta onEndDelta() throws IOException {
    long size = check.endDelta();
    if (COPIES * size > Runtime.getRuntime().maxMemory()) {
      throw new IOException(
          check.named() + " makes one of " + size + " bytes, for which the heap has no room");
    }
    return super.onEndDelta();
  }
}

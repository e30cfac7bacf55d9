// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.check;

import java.io.IOException;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevBlob;
import org.eclipse.jgit.revwalk.RevObject;

/**
 * Checks all objects that a walk reaches. JGit's own walk takes a blob from the tree that names it,
 * and does not look whether it exists or is one.
 */
public final class ReachableObjects {
  private ReachableObjects() {}

  /** Tells blobs from other objects. */
  @FunctionalInterface
  public interface BlobTest {
    /**
     * Tests whether an object is a blob.
     *
     * @throws MissingObjectException if there is no such object
     * @throws IOException if it cannot be read
     */
    boolean isBlob(AnyObjectId id) throws IOException;
  }

  /**
   * Walks all objects.
   *
   * @param walk has its starts; at its end afterwards
   * @param blobs tells blobs from other objects
   * @param monitor receives the number of objects
   * @throws MissingObjectException if an object is missing
   * @throws IncorrectObjectTypeException if one has another type than the object says that names it
   * @throws IOException if one cannot be read
   */
  public static void check(ObjectWalk walk, BlobTest blobs, ProgressMonitor monitor)
      throws IOException {
    while (walk.next() != null) {
      monitor.update(1);
    }
    for (RevObject o = walk.nextObject(); o != null; o = walk.nextObject()) {
      if (o instanceof RevBlob && !blobs.isBlob(o)) {
        throw new IncorrectObjectTypeException(o, Constants.OBJ_BLOB);
      }
      monitor.update(1);
    }
  }
}

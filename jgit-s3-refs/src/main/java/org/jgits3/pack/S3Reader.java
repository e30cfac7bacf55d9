// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;

/**
 * Reads objects. An object that is missing may be in a pack that another handle of the process has
 * received and not published yet, which is published then. Otherwise the first miss asks the store
 * once whether there are newer packs, since another process may have pushed the object; later
 * misses of the same reader are taken as they are.
 */
final class S3Reader extends DfsReader {
  private final S3ObjDatabase database;
  private boolean writer;
  private boolean refreshed;

  S3Reader(S3ObjDatabase database) {
    super(database);
    this.database = database;
  }

  /**
   * Takes it as it is that there is no such object: a writer that misses one that others have just
   * written writes it once more, which is harmless, and cheaper than a request an object. Still
   * looks further for an object that it wants to read.
   */
  S3Reader forWriter() {
    writer = true;
    return this;
  }

  @Override
  public boolean has(AnyObjectId id) throws IOException {
    return super.has(id) || (!writer && appeared(id) && super.has(id));
  }

  @Override
  public ObjectLoader open(AnyObjectId id, int typeHint) throws IOException {
    try {
      return super.open(id, typeHint);
    } catch (MissingObjectException e) {
      if (appeared(id)) {
        return super.open(id, typeHint);
      }
      throw e;
    }
  }

  @Override
  public long getObjectSize(AnyObjectId id, int typeHint) throws IOException {
    try {
      return super.getObjectSize(id, typeHint);
    } catch (MissingObjectException e) {
      if (appeared(id)) {
        return super.getObjectSize(id, typeHint);
      }
      throw e;
    }
  }

  /** Whether it is worth looking for an object again. */
  private boolean appeared(AnyObjectId id) throws IOException {
    return database.publishHidden(id, this) || refreshed();
  }

  private boolean refreshed() throws IOException {
    if (refreshed) {
      return false;
    }
    refreshed = true;
    database.refresh();
    return true; // even if nothing is new to the process: others may have learned of it meanwhile
  }

  @Override
  public Set<ObjectId> getShallowCommits() {
    try {
      return database.getShallowCommits();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

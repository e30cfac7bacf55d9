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
 * Reads objects. The first miss asks the store once whether there are newer packs, since another
 * process may have pushed the object; later misses of the same reader are taken as they are.
 */
final class S3Reader extends DfsReader {
  private final S3ObjDatabase database;
  private boolean refreshed;

  S3Reader(S3ObjDatabase database) {
    super(database);
    this.database = database;
  }

  /** Takes every miss as it is. */
  S3Reader withoutRefresh() {
    refreshed = true;
    return this;
  }

  @Override
  public boolean has(AnyObjectId id) throws IOException {
    return super.has(id) || (refreshed() && super.has(id));
  }

  @Override
  public ObjectLoader open(AnyObjectId id, int typeHint) throws IOException {
    try {
      return super.open(id, typeHint);
    } catch (MissingObjectException e) {
      if (refreshed()) {
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
      if (refreshed()) {
        return super.getObjectSize(id, typeHint);
      }
      throw e;
    }
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

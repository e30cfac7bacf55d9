// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.internal.storage.dfs.DfsInserter;
import org.eclipse.jgit.internal.storage.dfs.DfsPackParser;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.util.IO;
import org.jgits3.internal.pack.connectivity.ReferredObjects;

/**
 * An inserter whose pack parser looks for received objects in this handle only. No pack it writes
 * refers to an object that other requests hide.
 */
final class S3Inserter extends DfsInserter {
  private final S3ObjDatabase database;

  /** Objects that were not flushed. */
  private final Set<ObjectId> unflushed = new HashSet<>();

  /**
   * Quarantine with objects that this inserter may have left out; null while nothing is unflushed.
   */
  private final AtomicReference<Quarantine> begun = new AtomicReference<>();

  S3Inserter(S3ObjDatabase database) {
    super(database);
    this.database = database;
  }

  /** Called before the look-up of an object, which is not inserted if a pack has it. */
  private void begin() {
    Quarantine beside = database.quarantine();
    if (begun.compareAndSet(null, beside)) {
      beside.begin();
    }
  }

  private ObjectId inserted(ObjectId id) {
    unflushed.add(id.copy());
    return id;
  }

  private void end() {
    unflushed.clear();
    Quarantine beside = begun.getAndSet(null);
    if (beside != null) {
      beside.end();
    }
  }

  @Override
  public ObjectId insert(int type, byte[] data, int off, int len) throws IOException {
    if (database.mayKnowHidden()) {
      List<ObjectId> referred = new ArrayList<>(ReferredObjects.of(type, data, off, len));
      referred.removeIf(unflushed::contains);
      database.publishHidden(referred);
    }
    begin();
    return inserted(super.insert(type, data, off, len));
  }

  @Override
  public void flush() throws IOException {
    super.flush();
    end();
  }

  @Override
  public void close() {
    super.close();
    end();
  }

  /** As documented by JGit. Only files are streamed, because they refer to nothing. */
  @Override
  public ObjectId insert(int type, long len, InputStream in) throws IOException {
    if (type == Constants.OBJ_BLOB) {
      begin();
      return inserted(super.insert(type, len, in));
    }
    byte[] data = new byte[Math.toIntExact(len)];
    IO.readFully(in, data, 0, data.length);
    return insert(type, data, 0, data.length);
  }

  @Override
  public DfsPackParser newPackParser(InputStream in) throws IOException {
    return database.newPackParser(this, in);
  }
}

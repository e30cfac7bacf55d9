// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.AbstractList;
import java.util.RandomAccess;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.internal.refs.log.BlockFileWriter;
import org.jgits3.internal.refs.log.PreparedChanges;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.manifest.RefChange;

/**
 * Changes of a completed batch, in the order of packed-refs: of refs that are not symbolic, created
 * on demand, because few of very many are read. Immutable.
 */
public final class BulkChanges extends AbstractList<RefChange>
    implements RandomAccess, PreparedChanges {
  private final BulkUpdate.Checked batch;

  public BulkChanges(BulkUpdate.Checked batch) {
    this.batch = batch;
  }

  @Override
  public RefChange get(int index) {
    ReceiveCommand c = batch.commands().get(index);
    return new RefChange(c.getRefName(), c.getOldId().copy(), c.getNewId().copy());
  }

  @Override
  public int size() {
    return batch.commands().size();
  }

  @Override
  public void writeTo(BlockFileWriter writer) throws IOException {
    RefNames names = batch.changes().names();
    for (int i = 0; i < names.size(); i++) {
      ReceiveCommand c = batch.commands().get(i);
      writer.change(names.bytes(), names.start(i), names.end(i), c.getOldId(), c.getNewId());
    }
  }
}

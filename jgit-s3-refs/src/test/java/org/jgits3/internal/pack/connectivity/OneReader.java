// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.connectivity;

import java.io.IOException;
import java.util.Set;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;

/** A reader that never hands out another one, for subclasses that see all that is opened. */
abstract class OneReader extends ObjectReader.Filter {
  private final ObjectReader reader;

  OneReader(ObjectReader reader) {
    this.reader = reader;
  }

  /** Objects that count as packed by collections. */
  record Collected(Set<ObjectId> ids) implements Connectivity.Collected {
    @Override
    public boolean has(AnyObjectId id) {
      return ids.contains(id.copy());
    }
  }

  @Override
  protected ObjectReader delegate() {
    return reader;
  }

  @Override
  public ObjectReader newReader() {
    return this;
  }

  @Override
  public ObjectLoader open(AnyObjectId id) throws IOException {
    return open(id, OBJ_ANY);
  }

  @Override
  public ObjectLoader open(AnyObjectId id, int typeHint) throws IOException {
    return reader.open(id, typeHint);
  }
}

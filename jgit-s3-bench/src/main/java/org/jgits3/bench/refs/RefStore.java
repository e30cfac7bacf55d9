// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;

/** The refs of an open repository, to look them up. */
interface RefStore extends Closeable {
  @Nullable
  Ref exact(String name) throws IOException;

  /** Refs whose names begin with a prefix; empty for all. */
  Collection<Ref> prefix(String prefix) throws IOException;

  /** Refs that point to an object. */
  Collection<Ref> tips(ObjectId id) throws IOException;

  @Override
  void close();
}

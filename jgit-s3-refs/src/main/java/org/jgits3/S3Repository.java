// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import org.eclipse.jgit.internal.storage.dfs.DfsRepository;

/** A Git repository whose packs and refs are objects in a store. */
public abstract class S3Repository extends DfsRepository {
  S3Repository() {
    super(null);
  }
}

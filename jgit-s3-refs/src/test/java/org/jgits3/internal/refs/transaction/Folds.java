// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import org.jgits3.S3Repository;
import org.jgits3.internal.refs.table.RefFold;

/** Folds that happen when a test wants them. */
public final class Folds {
  private Folds() {}

  /** Folds as the background does, into a recent table or a new base, until it is done. */
  public static void fold(S3Repository repository) throws IOException {
    repository.getRefDatabase().shared().compact(RefFold::of);
  }
}

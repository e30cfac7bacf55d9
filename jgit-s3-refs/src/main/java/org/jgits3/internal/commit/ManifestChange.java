// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.UnknownOutcomeException;

/**
 * One change of a repository, as a delta on any manifest that it is applied to.
 *
 * @param <R> type of the verdict that the caller gets
 */
@FunctionalInterface
public interface ManifestChange<R> {
  /**
   * Validates the change against a manifest and returns the changed one. Called again for every
   * base that the commit is tried on, each time with the state left by the change before it in the
   * batch. It must therefore have no side effects, make no request to the store, and be quick.
   *
   * @param base manifest to change; its generation is that of the manifest last read, also for
   *     later changes of the batch
   * @return the changed manifest and the verdict, or a verdict that needs no write
   * @throws UnknownOutcomeException if the manifest lists what an earlier proposal of this change
   *     listed, so that a write which seemed to be refused was made; counted as pruned
   * @throws IOException fails this change alone, not the others of its batch
   */
  Proposal<R> propose(Manifest base) throws IOException;
}

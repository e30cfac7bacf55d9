// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import org.jgits3.manifest.Manifest;

/**
 * One change of a repository, as a delta on whatever manifest it is finally applied to.
 *
 * @param <R> what the caller learns: a verdict
 */
@FunctionalInterface
public interface ManifestChange<R> {
  /**
   * Validates the change against a manifest and says what it becomes. Called again for every base
   * the commit is tried on, each time with the state left by the change before it in the batch; so
   * it has no side effects, does no request to the store, and is quick.
   *
   * @param base manifest to change; its generation is that of the manifest last read, whatever
   *     precedes this change in the batch
   * @return the changed manifest and the verdict, or a verdict that needs no write
   * @throws IOException fails this change alone, not the others of its batch
   */
  Proposal<R> propose(Manifest base) throws IOException;
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.UnknownOutcomeException;

/** Commits changes of one repository, alone or together with changes that it adds. */
public interface Committer {
  /**
   * Commits a change. Blocks until it is decided.
   *
   * @param <R> type of the verdict
   * @param change the change
   * @return its verdict, based on a write acknowledged, or a validation started, after this call
   * @throws ManifestException.NotCommitted if the deadline passed and nothing was written
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws ManifestException if the manifest does not allow the change
   * @throws IOException if the store refused, or {@link ManifestChange#propose} failed; nothing was
   *     written
   */
  <R> R commit(ManifestChange<R> change) throws IOException;
}

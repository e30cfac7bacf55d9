// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import org.jgits3.manifest.Manifest;

/**
 * Result of a {@link ManifestChange} on one manifest. Its verdict is delivered only after the batch
 * is decided.
 *
 * @param <R> type of the verdict
 */
public sealed interface Proposal<R> {
  /**
   * The verdict that holds if the batch is decided as proposed.
   *
   * @return the verdict
   */
  R verdict();

  /**
   * The manifest changes.
   *
   * @param next the changed manifest; generation, nonce and writers are set by the committer
   * @param verdict verdict once it is committed
   */
  record Edit<R>(Manifest next, R verdict) implements Proposal<R> {}

  /**
   * A verdict without a write: the change is refused, or has no effect. Delivered only after a
   * validation that began after the change was submitted.
   *
   * @param verdict the refusal, or the confirmation
   */
  record NoEdit<R>(R verdict) implements Proposal<R> {}

  /**
   * The manifest changes.
   *
   * @param <R> type of the verdict
   * @param next the changed manifest
   * @param verdict verdict once it is committed
   * @return the proposal
   */
  static <R> Proposal<R> edit(Manifest next, R verdict) {
    return new Edit<>(next, verdict);
  }

  /**
   * Proposes no write.
   *
   * @param <R> type of the verdict
   * @param verdict the refusal, or the confirmation
   * @return the proposal
   */
  static <R> Proposal<R> noEdit(R verdict) {
    return new NoEdit<>(verdict);
  }
}

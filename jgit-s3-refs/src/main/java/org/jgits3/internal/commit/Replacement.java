// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import org.jgits3.internal.function.IoFunction;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.UnknownOutcomeException;

/** Commit of an object that was uploaded first and takes the place of what it was made of. */
public final class Replacement {
  private Replacement() {}

  /**
   * Lists an uploaded object if its input is still listed. Deletes it after a final refusal, never
   * while the outcome is in doubt. If the manifest lists it already, the store has applied a write
   * and refused a copy of it: then the commit has succeeded.
   *
   * @param committer commits it
   * @param listing makes the manifest that lists it instead of its input; empty if the base does
   *     not list all of the input
   * @param lists tests whether a manifest lists it
   * @param discard deletes it; called if no manifest lists it, nor ever will
   * @return true if it is listed
   * @throws ManifestException.TooLarge if the manifest has no room for it
   * @throws UnknownOutcomeException if it may be listed
   * @throws IOException if it could not be committed
   */
  public static boolean commit(
      ManifestCommitter committer,
      IoFunction<Manifest, Optional<Manifest>> listing,
      Predicate<Manifest> lists,
      Runnable discard)
      throws IOException {
    boolean listed;
    try {
      listed =
          committer.<Boolean>commit(
              base -> {
                Optional<Manifest> next = listing.apply(base);
                return next.isPresent()
                    ? Proposal.edit(next.get(), true)
                    : Proposal.noEdit(lists.test(base));
              });
    } catch (ManifestException.TooLarge e) {
      discard.run();
      throw e;
    }
    if (!listed) {
      discard.run();
    }
    return listed;
  }
}

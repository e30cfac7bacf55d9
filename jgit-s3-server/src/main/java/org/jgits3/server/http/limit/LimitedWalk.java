// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import java.io.UncheckedIOException;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.revwalk.RevWalk;

/**
 * Ends the walks of a fetch after a number of commits. To find out what the client has of the
 * objects it wants, JGit walks through the history once for each of them. {@link RevWalk#next()}
 * asks its monitor for each commit. Used by one thread.
 */
public final class LimitedWalk extends EmptyProgressMonitor {
  private final long limit;
  private long count;

  /**
   * Limits the walks of one request.
   *
   * @param limit most commits of all walks, each as often as it is passed; 0 for no limit
   */
  public LimitedWalk(long limit) {
    this.limit = limit > 0 ? limit : Long.MAX_VALUE;
  }

  /**
   * Counts a commit.
   *
   * @return {@code false}
   * @throws UncheckedIOException of a {@link PackProtocolException}, if there were more than the
   *     limit
   */
  @Override
  public boolean isCancelled() {
    if (++count > limit) {
      throw new UncheckedIOException(
          new PackProtocolException(
              "to find what this client lacks takes a walk through more than "
                  + limit
                  + " commits, which is uploadpack.maxWalkedCommits of the server; fetch fewer refs"
                  + " at a time, or clone"));
    }
    return false;
  }
}

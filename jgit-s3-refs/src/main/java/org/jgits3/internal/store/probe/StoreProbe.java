// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.io.IOException;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Checks a store by using it, under keys of its own below {@code probe/} that are deleted
 * afterwards.
 *
 * <p>If the store cannot be reached or denies access, the probe fails with the {@link
 * org.jgits3.store.StoreException} of the request, which says nothing about the promises of the
 * store. A store that stops answering after a required check has failed is refused for that check.
 */
public final class StoreProbe {
  private StoreProbe() {}

  /** Thrown if the store lacks a property without which repositories are unsafe in it. */
  public static final class Refused extends IOException {
    private final Check check;

    Refused(String location, Check check) {
      super(location + ": refused: check '" + check.name() + "' failed: " + check.detail());
      this.check = check;
    }

    /**
     * The first required check that failed.
     *
     * @return the check
     */
    public Check check() {
      return check;
    }
  }

  /**
   * Checks conditional writes, one request after the other, at every start of a server: at most
   * eight requests.
   *
   * @param store store to check
   * @return what was found; see {@link ProbeReport#orRefuse}
   * @throws IOException if the store does not answer or refuses access
   */
  public static ProbeReport quick(ObjectStore store) throws IOException {
    ProbeRun run = new ProbeRun(store);
    try {
      new ConditionChecks(run).run();
    } finally {
      run.cleanUp();
    }
    return run.report();
  }

  /**
   * Checks every property that repositories rely on, including races, ranges, multipart uploads,
   * listings and checksums. Takes thousands of requests and a few MiB of traffic.
   *
   * @param store store to check
   * @return what was found; see {@link ProbeReport#orRefuse}
   * @throws IOException if the store does not answer or refuses access
   */
  public static ProbeReport full(ObjectStore store) throws IOException {
    ProbeRun run = new ProbeRun(store);
    try {
      new ConditionChecks(run).run();
      new ObjectChecks(run).run();
      new RaceChecks(run).run();
      new UploadChecks(run).run();
    } catch (StoreException.Unavailable e) {
      run.endedBy(e);
    } finally {
      run.cleanUp();
    }
    return run.report();
  }
}

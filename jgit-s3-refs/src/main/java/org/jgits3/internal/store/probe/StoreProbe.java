// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.StoreException;
import org.jgits3.store.UnsafeStoreException;

/**
 * Checks a store by using it, under keys of its own below {@code probe/} that are deleted
 * afterwards.
 *
 * <p>If the store cannot be reached or denies access, the probe fails with the {@link
 * org.jgits3.store.StoreException} of the request, which says nothing about the promises of the
 * store. A store that stops answering after a required check has failed is refused for that check.
 */
public final class StoreProbe {
  /** Prefix of the keys of all probes. */
  static final String FOLDER = "probe/";

  private static final String SERVER_REPLACED =
      "; if the server behind this address was replaced, run doctor";

  private StoreProbe() {}

  /**
   * Checks a store before a program that may write uses it. The first use of a store takes a full
   * probe of at most 20 seconds, which leaves a marker; a later use takes 12 requests: it looks for
   * the marker, and races briefly in the dialect that the marker names. A store whose conditions
   * this library holds itself is checked without races, in at most eight requests.
   *
   * <p>Writes are sent in the dialect that was found from then on.
   *
   * @param store store to check
   * @throws UnsafeStoreException if the store lacks a required property; nothing but the probe's
   *     own objects was written
   * @throws IOException if the store does not answer or refuses access
   */
  public static void admit(ObjectStore store) throws IOException {
    Optional<String> service = store.service();
    if (service.isEmpty()) {
      probe(store, run -> new ConditionChecks(run).run()).orRefuse();
      return;
    }
    Optional<ProbeMarker> marker = ProbeMarker.find(store, service.get());
    if (marker.isPresent()) {
      ProbeRun run = quietly(store, marker.get().dialect());
      probe(run, r -> new RaceChecks(r).brief()).orRefuse(SERVER_REPLACED);
    } else {
      ProbeReport report = probe(store, StoreProbe::required);
      ProbeMarker.leave(store, service.get(), report.orRefuse());
    }
  }

  /**
   * Checks every property that repositories rely on, including races, ranges, multipart uploads,
   * listings and checksums. Takes thousands of requests, a few MiB of traffic and at most 20
   * seconds. Leaves a marker in a store that passes.
   *
   * @param store store to check
   * @return what was found; see {@link ProbeReport#orRefuse}
   * @throws IOException if the store does not answer or refuses access
   */
  public static ProbeReport full(ObjectStore store) throws IOException {
    return full(store, check -> {});
  }

  /**
   * Makes the same checks, and tells what is being checked.
   *
   * @param store store to check
   * @param begun told of each check when it begins, in one line
   * @return what was found; see {@link ProbeReport#orRefuse}
   * @throws IOException if the store does not answer or refuses access
   */
  public static ProbeReport full(ObjectStore store, Consumer<String> begun) throws IOException {
    return full(store, begun, System::nanoTime);
  }

  /** Makes the same checks by another clock. */
  static ProbeReport full(ObjectStore store, Consumer<String> begun, LongSupplier nanoTime)
      throws IOException {
    ProbeReport report = probe(new ProbeRun(store, Dialect.S3, begun, nanoTime), StoreProbe::all);
    if (report.ok() && store.service().isPresent()) {
      ProbeMarker.leave(store, store.service().get(), report);
    }
    return report;
  }

  @FunctionalInterface
  private interface Checks {
    void run(ProbeRun run) throws IOException;
  }

  private static ProbeReport probe(ObjectStore store, Checks checks) throws IOException {
    return probe(quietly(store, Dialect.S3), checks);
  }

  private static ProbeRun quietly(ObjectStore store, Dialect dialect) {
    return new ProbeRun(store, dialect, check -> {}, System::nanoTime);
  }

  private static ProbeReport probe(ProbeRun run, Checks checks) throws IOException {
    try {
      checks.run(run);
    } catch (StoreException.Unavailable e) {
      run.endedBy(e);
    } finally {
      run.cleanUp();
    }
    return run.report();
  }

  /** The races come last, and use the time that is left. */
  private static void all(ProbeRun run) throws IOException {
    new ConditionChecks(run).run();
    new ObjectChecks(run).run();
    new UploadChecks(run).run();
    new UploadChecks(run).runOptional();
    new RaceChecks(run).full();
  }

  /** All that is required; only the conditions if one of them does not hold. */
  private static void required(ProbeRun run) throws IOException {
    new ConditionChecks(run).run();
    if (run.isGood()) {
      new ObjectChecks(run).run();
      new UploadChecks(run).run();
      new RaceChecks(run).full();
    }
  }
}

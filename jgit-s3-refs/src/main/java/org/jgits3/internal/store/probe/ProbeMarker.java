// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.StoreException;

/**
 * The object that a full probe leaves in a store that passed it. Its key names the service and the
 * set of checks, so that a copy of the bucket elsewhere, and a release with other checks, do not
 * find it; processes that reach one store by two addresses have a marker each.
 *
 * @param service what was probed, as {@link ObjectStore#service} gives it
 * @param version version of this software
 * @param probed day and time of the probe, in UTC
 * @param checks names of the checks that the store passed
 */
record ProbeMarker(String service, String version, String probed, List<String> checks) {
  /** Changes with the checks that a store must pass. */
  private static final int CHECKS = 1;

  private static final String FOLDER = StoreProbe.FOLDER + "passed/";
  private static final int HASH_BYTES = 16;

  /** Key of the marker of one service. */
  static String key(String service) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest((CHECKS + " " + service).getBytes(UTF_8));
      return FOLDER + HexFormat.of().formatHex(Arrays.copyOf(hash, HASH_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Looks for the marker, in one request. A store that refuses the request counts as one without a
   * marker: S3 answers 403 for a missing object if the credentials may not list.
   */
  static boolean isIn(ObjectStore store, String service) throws IOException {
    try {
      return store.get(key(service), Optional.empty()) instanceof GetResult.Found;
    } catch (StoreException.Refused e) {
      return false; // the first write of the probe fails for the same reason, if there is one
    }
  }

  /** Leaves the marker, unless another process has done so. */
  static void leave(ObjectStore store, String service, ProbeReport report) throws IOException {
    String version = ProbeMarker.class.getPackage().getImplementationVersion();
    ProbeMarker marker =
        new ProbeMarker(
            service,
            version == null ? "unknown" : version,
            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
            report.checks().stream().filter(Check::ok).map(Check::name).toList());
    byte[] json = new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(marker);
    store.putIf(key(service), json, Precondition.absent()); // without it the next start probes
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * The object that a full probe leaves in a store that passed it, with the dialect that it found.
 * Its key names the service and the set of checks, so that a copy of the bucket elsewhere, and a
 * release with other checks, do not find it; processes that reach one store by two addresses have a
 * marker each.
 *
 * @param service what was probed, as {@link ObjectStore#service} gives it
 * @param version version of this software
 * @param probed day and time of the probe, in UTC
 * @param dialect the dialect of the service
 * @param checks names of the checks that the store passed
 */
record ProbeMarker(
    String service, String version, String probed, Dialect dialect, List<String> checks) {
  /** Changes with the checks that a store must pass. */
  private static final int CHECKS = 3;

  private static final String FOLDER = StoreProbe.FOLDER + "passed/";
  private static final int HASH_BYTES = 16;

  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  /** Checks that the marker tells the dialect. */
  ProbeMarker {
    Objects.requireNonNull(dialect, "dialect");
  }

  /** Key of the marker of one service. */
  static String key(String service) {
    byte[] hash = Sha256.begin().digest((CHECKS + " " + service).getBytes(UTF_8));
    return FOLDER + HexFormat.of().formatHex(Arrays.copyOf(hash, HASH_BYTES));
  }

  /**
   * Looks for the marker, in one request. A store that refuses the request counts as one without a
   * marker: S3 answers 403 for a missing object if the credentials may not list. So does one whose
   * marker cannot be understood.
   */
  static Optional<ProbeMarker> find(ObjectStore store, String service) throws IOException {
    try {
      return store.get(key(service), Optional.empty()) instanceof GetResult.Found found
          ? parse(found.bytes())
          : Optional.empty();
    } catch (StoreException.Refused e) {
      // The first write of the probe fails for the same reason, if there is one.
      return Optional.empty();
    }
  }

  private static Optional<ProbeMarker> parse(byte[] json) throws IOException {
    try {
      return Optional.of(JSON.readValue(json, ProbeMarker.class));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  /** Leaves the marker, unless there is one that tells the same dialect. */
  static void leave(ObjectStore store, String service, ProbeReport report) throws IOException {
    String version = ProbeMarker.class.getPackage().getImplementationVersion();
    ProbeMarker marker =
        new ProbeMarker(
            service,
            version == null ? "unknown" : version,
            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
            report.dialect(),
            report.checks().stream().filter(Check::ok).map(Check::name).toList());
    byte[] json = JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(marker);
    String key = key(service);
    boolean left = store.putIf(key, json, Precondition.absent()) instanceof PutOutcome.Won;
    if (!left && store.get(key, Optional.empty()) instanceof GetResult.Found found) {
      if (parse(found.bytes()).filter(m -> m.dialect().equals(report.dialect())).isEmpty()) {
        store.putIf(key, json, Precondition.matches(found.version()));
      }
    } // without a marker the next start probes
  }
}

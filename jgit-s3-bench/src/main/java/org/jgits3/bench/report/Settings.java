// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Settings of a run, as far as figures depend on them.
 *
 * @param effort how much was measured
 * @param refs number of refs
 * @param maxMegabytes size of the largest object, in MiB
 * @param server S3 server that was measured with
 */
public record Settings(
    String effort, int refs, @JsonProperty("max_mb") int maxMegabytes, String server) {}

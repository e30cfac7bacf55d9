// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

/**
 * Settings of a run, as far as figures depend on them.
 *
 * @param effort how much was measured
 * @param refs number of refs
 * @param maxMegabytes size of the largest object, in MiB
 * @param server S3 server that was measured with
 */
public record Settings(String effort, int refs, int maxMegabytes, String server) {}

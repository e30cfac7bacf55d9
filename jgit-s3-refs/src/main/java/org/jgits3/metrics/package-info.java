// SPDX-License-Identifier: Apache-2.0
/**
 * Counters and gauges of a manager, for the metrics of the program that embeds it.
 *
 * <p>Entry type: {@link org.jgits3.metrics.Counters}.
 */
package org.jgits3.metrics;

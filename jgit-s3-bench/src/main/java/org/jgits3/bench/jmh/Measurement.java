// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.jmh;

import java.util.Optional;
import org.jgits3.bench.report.Figure;

/**
 * Cost of one call of a benchmark.
 *
 * @param nanos time
 * @param bytes memory allocated; empty if the JVM did not tell
 */
public record Measurement(Figure nanos, Optional<Figure> bytes) {}

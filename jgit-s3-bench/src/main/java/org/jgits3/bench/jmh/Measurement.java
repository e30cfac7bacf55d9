// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.jmh;

import java.util.Optional;
import org.jgits3.bench.report.Figure;

/**
 * What a benchmark took per call.
 *
 * @param nanos time
 * @param bytes memory allocated; empty if the JVM did not tell
 */
public record Measurement(Figure nanos, Optional<Figure> bytes) {}

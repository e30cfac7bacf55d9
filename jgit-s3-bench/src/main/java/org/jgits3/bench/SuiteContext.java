// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * What a suite is asked to do, and where it may work.
 *
 * @param quick whether few iterations will do
 * @param refs number of refs, for suites that have any
 * @param root directory of the sources, where {@code etc/} and {@code target/} are
 * @param data directory for generated data, which later runs use again
 * @param progress told in one line what is being done
 */
public record SuiteContext(
    boolean quick, int refs, Path root, Path data, Consumer<String> progress) {}

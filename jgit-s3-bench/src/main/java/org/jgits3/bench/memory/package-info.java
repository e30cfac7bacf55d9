// SPDX-License-Identifier: Apache-2.0
/**
 * The suite {@code memory}: the smallest heap that lands an object in memory, or uploads one, by
 * this library and by what the SDK offers. Entry point: {@link
 * org.jgits3.bench.memory.MemorySuite}.
 */
package org.jgits3.bench.memory;

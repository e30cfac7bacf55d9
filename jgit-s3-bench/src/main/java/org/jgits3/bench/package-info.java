// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks, reproducible by one command each: {@link org.jgits3.bench.Suite} is what a suite is,
 * {@link org.jgits3.bench.Main} runs the ones that are asked for and reports them.
 */
package org.jgits3.bench;

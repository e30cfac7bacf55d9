// SPDX-License-Identifier: Apache-2.0
/**
 * Large objects on their way to S3 and back. {@link org.jgits3.bench.transfer.TransferSuite}
 * compares whole processes with other tools, {@link org.jgits3.bench.transfer.ThroughputComparison}
 * the library with the bare client, in one JVM.
 */
package org.jgits3.bench.transfer;

// SPDX-License-Identifier: Apache-2.0
/**
 * Large objects on their way to S3 and back. {@link org.jgits3.bench.transfer.ThroughputComparison}
 * compares the library with the bare client.
 */
package org.jgits3.bench.transfer;

// SPDX-License-Identifier: Apache-2.0
/**
 * The suite {@code express}: single requests to buckets of S3 and S3 Express One Zone, and what the
 * client takes of their time. Entry point: {@link org.jgits3.bench.express.ExpressSuite}.
 */
package org.jgits3.bench.express;

// SPDX-License-Identifier: Apache-2.0
/**
 * The S3 server that a suite measures with: {@link org.jgits3.bench.server.S3Session} is one that
 * the run starts for itself, or one that it was given.
 */
package org.jgits3.bench.server;

// SPDX-License-Identifier: Apache-2.0
/** S3 servers that a run starts for itself. */
package org.jgits3.bench.server;

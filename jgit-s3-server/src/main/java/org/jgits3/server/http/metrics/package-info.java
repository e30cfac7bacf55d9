// SPDX-License-Identifier: Apache-2.0
/** Counters and gauges of a server, for Prometheus. */
package org.jgits3.server.http.metrics;

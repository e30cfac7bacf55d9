// SPDX-License-Identifier: Apache-2.0
/** Tests of what operators see of a running server: its log of accesses, and its metrics. */
package org.jgits3.server.e2e.access;

// SPDX-License-Identifier: Apache-2.0
/** Servers and commands in processes of their own, on every kind of store, for end-to-end tests. */
package org.jgits3.server.e2e.process;

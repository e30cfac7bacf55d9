// SPDX-License-Identifier: Apache-2.0
/**
 * Servers and commands, in processes of their own or in the JVM of the test, on every kind of
 * store, for end-to-end tests.
 */
package org.jgits3.server.e2e.process;

// SPDX-License-Identifier: Apache-2.0
/**
 * The whole program as its users meet it: real {@code git} against server processes, and commands
 * in processes of their own, on every kind of store.
 */
package org.jgits3.server.e2e;

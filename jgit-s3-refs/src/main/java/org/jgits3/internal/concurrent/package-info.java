// SPDX-License-Identifier: Apache-2.0
/**
 * Threads of the library, and requests that several threads wait for.
 *
 * <p>Depends on nothing else of this project.
 */
package org.jgits3.internal.concurrent;

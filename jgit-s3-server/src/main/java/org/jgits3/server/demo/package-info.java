// SPDX-License-Identifier: Apache-2.0
/**
 * A tour of the program, with a real server, a real git and the requests of each step.
 *
 * <p>Depends on the library and on {@code org.jgits3.server.http}. Entry type: {@link
 * org.jgits3.server.demo.Tour}.
 */
package org.jgits3.server.demo;

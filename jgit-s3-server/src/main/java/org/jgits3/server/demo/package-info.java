// SPDX-License-Identifier: Apache-2.0
/**
 * A tour of what the program does, with a real server, a real git and a look at the requests that
 * each step costs.
 *
 * <p>Depends on the library and on {@code org.jgits3.server.http}. Entry type: {@link
 * org.jgits3.server.demo.Tour}.
 */
package org.jgits3.server.demo;

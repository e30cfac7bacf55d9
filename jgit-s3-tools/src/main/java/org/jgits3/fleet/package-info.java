// SPDX-License-Identifier: Apache-2.0
/**
 * Passes over all repositories of a store, which leave out those with nothing to do.
 *
 * <p>Entry type: {@link org.jgits3.fleet.Fleet}.
 */
package org.jgits3.fleet;

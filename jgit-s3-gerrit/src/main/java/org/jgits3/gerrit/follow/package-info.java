// SPDX-License-Identifier: Apache-2.0
/**
 * Follows the transactions of all Gerrits on a store, round by round, from a saved position.
 *
 * <p>Depends on {@code repository}, {@code shared} and {@code index} beside it. Entry type: {@link
 * org.jgits3.gerrit.follow.Follower}.
 */
package org.jgits3.gerrit.follow;

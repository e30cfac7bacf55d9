// SPDX-License-Identifier: Apache-2.0
/**
 * Indexes and caches of one Gerrit: the parts that depend on a ref, and the code that brings them
 * up to date.
 *
 * <p>Depends on the library and on Gerrit. Entry types: {@link org.jgits3.gerrit.index.LocalState}
 * and {@link org.jgits3.gerrit.index.News}.
 */
package org.jgits3.gerrit.index;

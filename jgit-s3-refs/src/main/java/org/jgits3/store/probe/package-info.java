// SPDX-License-Identifier: Apache-2.0
/**
 * Finds out whether a store really honours what {@link org.jgits3.store.ObjectStore} promises,
 * before repositories are entrusted to it.
 *
 * <p>Depends on {@code org.jgits3.store} only. Entry type: {@link
 * org.jgits3.store.probe.StoreProbe}.
 */
package org.jgits3.store.probe;

// SPDX-License-Identifier: Apache-2.0
/**
 * Tests whether a store honours what {@link org.jgits3.store.ObjectStore} promises, before
 * repositories are entrusted to it.
 *
 * <p>Entry type: {@link org.jgits3.internal.store.probe.StoreProbe}.
 */
package org.jgits3.internal.store.probe;

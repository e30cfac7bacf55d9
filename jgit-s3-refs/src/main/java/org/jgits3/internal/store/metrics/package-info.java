// SPDX-License-Identifier: Apache-2.0
/**
 * Counts and reports the requests to a store.
 *
 * <p>Entry type: {@link org.jgits3.internal.store.metrics.ObservedObjectStore}.
 */
package org.jgits3.internal.store.metrics;

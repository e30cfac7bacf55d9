// SPDX-License-Identifier: Apache-2.0
/**
 * Ranged and parallel reads into arrays of exactly the right size.
 *
 * <p>Entry types: {@link org.jgits3.internal.store.read.RangeReader} for one large object, {@link
 * org.jgits3.internal.store.read.ReadAhead} for a stream, {@link
 * org.jgits3.internal.store.read.ParallelRequests} for several requests at a time.
 */
package org.jgits3.internal.store.read;

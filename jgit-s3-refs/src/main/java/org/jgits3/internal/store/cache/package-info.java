// SPDX-License-Identifier: Apache-2.0
/**
 * Caches: of immutable objects on a local disk, and of anything in memory.
 *
 * <p>Entry types: {@link org.jgits3.internal.store.cache.DiskCache}, {@link
 * org.jgits3.internal.store.cache.LruCache}.
 */
package org.jgits3.internal.store.cache;

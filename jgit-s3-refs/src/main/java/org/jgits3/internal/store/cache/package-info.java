// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes of immutable objects kept on a local disk.
 *
 * <p>Entry type: {@link org.jgits3.internal.store.cache.DiskCache}.
 */
package org.jgits3.internal.store.cache;

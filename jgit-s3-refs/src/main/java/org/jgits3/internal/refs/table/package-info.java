// SPDX-License-Identifier: Apache-2.0
/**
 * Refs in memory as they lie in the store: packed-refs in arrays, searched without parsing.
 *
 * <p>Entry type: {@link org.jgits3.internal.refs.table.PackedRefsTable}. Does no requests.
 */
package org.jgits3.internal.refs.table;

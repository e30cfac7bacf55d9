// SPDX-License-Identifier: Apache-2.0
/**
 * Log of the transactions of refs: blocks in immutable objects, searched by name.
 *
 * <p>Entry types: {@link org.jgits3.internal.refs.log.LogObjects} and {@link
 * org.jgits3.internal.refs.log.LogReader}.
 */
package org.jgits3.internal.refs.log;

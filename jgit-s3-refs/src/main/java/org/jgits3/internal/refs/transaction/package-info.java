// SPDX-License-Identifier: Apache-2.0
/**
 * Transactions of refs on the manifest, of one ref or of all, and the folding of refs into a new
 * snapshot.
 *
 * <p>Entry type: {@link org.jgits3.internal.refs.transaction.SharedRefs}, which all handles of one
 * repository share.
 */
package org.jgits3.internal.refs.transaction;

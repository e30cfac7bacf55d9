// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code RefDatabase}: look-ups in a packed-refs table that lies in memory as it lies in the
 * store, changes as transactions on the manifest, and the log of those transactions.
 *
 * <p>{@link org.jgits3.refs.SharedRefs} is what all handles of one repository share, {@link
 * org.jgits3.refs.S3RefDatabase} what one handle gives to JGit. Depends on {@code
 * org.jgits3.manifest} and {@code org.jgits3.store}.
 */
package org.jgits3.refs;

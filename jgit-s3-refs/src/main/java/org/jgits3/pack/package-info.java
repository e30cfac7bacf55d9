// SPDX-License-Identifier: Apache-2.0
/**
 * The object database: packs streamed to the store and read back in ranges.
 *
 * <p>{@link org.jgits3.pack.SharedPacks} is what all handles of one repository share, {@link
 * org.jgits3.pack.S3ObjDatabase} what one handle gives to JGit. Depends on {@code
 * org.jgits3.manifest} and {@code org.jgits3.store}.
 */
package org.jgits3.pack;

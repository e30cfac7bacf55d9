// SPDX-License-Identifier: Apache-2.0
/**
 * Pushes and fetches whose cost does not grow with the refs, for any JGit server.
 *
 * <p>Entry types: {@link org.jgits3.transport.S3ReceivePack} and {@link
 * org.jgits3.transport.S3UploadPack}. Nothing in the library depends on this package.
 */
package org.jgits3.transport;

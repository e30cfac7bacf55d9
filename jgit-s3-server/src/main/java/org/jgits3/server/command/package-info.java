// SPDX-License-Identifier: Apache-2.0
/**
 * The commands of {@code jgit-s3}, one class each, and their shared parts: the global options,
 * output and errors.
 *
 * <p>Depends on the library and on {@code org.jgits3.server.http}. Entry type: {@link
 * org.jgits3.server.command.JgitS3}.
 */
package org.jgits3.server.command;

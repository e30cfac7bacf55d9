// SPDX-License-Identifier: Apache-2.0
/**
 * The commands of {@code jgit-s3}, one class each.
 *
 * <p>Depends on the library and on the other packages of the program. Entry type: {@link
 * org.jgits3.server.command.JgitS3}.
 */
package org.jgits3.server.command;

// SPDX-License-Identifier: Apache-2.0
/**
 * The program {@code jgit-s3}: {@link org.jgits3.server.Main} runs the commands of {@code
 * org.jgits3.server.command}, which serve through {@code org.jgits3.server.http}.
 */
package org.jgits3.server;

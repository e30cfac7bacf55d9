// SPDX-License-Identifier: Apache-2.0
/**
 * Clones and pushes of the real Git through this server, through the same server code on a local
 * disk, and through Git's own. Entry: {@link org.jgits3.bench.git.GitSuite}.
 */
package org.jgits3.bench.git;

// SPDX-License-Identifier: Apache-2.0
/**
 * Projects as repositories in a store: which of them there are, and the refs that a request sees.
 *
 * <p>Depends on the library. Entry type: {@link
 * org.jgits3.gerrit.repository.S3GitRepositoryManager}.
 */
package org.jgits3.gerrit.repository;

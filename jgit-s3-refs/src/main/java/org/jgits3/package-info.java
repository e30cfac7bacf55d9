// SPDX-License-Identifier: Apache-2.0
/**
 * Git repositories that live wholly in an object store.
 *
 * <p>{@link org.jgits3.S3RepositoryManager} opens {@link org.jgits3.S3Repository}s of the store
 * that {@link org.jgits3.S3Settings} describe. Depends on {@code org.jgits3.maintenance}, which
 * depends on {@code org.jgits3.refs} and {@code org.jgits3.pack}, which depend on {@code
 * org.jgits3.manifest}, which depends on {@code org.jgits3.store}.
 */
package org.jgits3;

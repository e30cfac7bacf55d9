// SPDX-License-Identifier: Apache-2.0
/**
 * Git repositories that live wholly in an object store.
 *
 * <p>{@link org.jgits3.S3RepositoryManager} opens {@link org.jgits3.S3Repository}s of the store
 * that {@link org.jgits3.S3Settings} describe. What an embedder uses is here and in {@code store},
 * {@code manifest}, {@code history}, {@code maintenance}, {@code transport}, {@code metrics} and
 * {@code micrometer}; packages below {@code internal} change without notice.
 */
package org.jgits3;

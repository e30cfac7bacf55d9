// SPDX-License-Identifier: Apache-2.0
/**
 * {@link org.jgits3.store.ObjectStore} on S3: requests, retries, and the meaning of answers.
 *
 * <p>Entry type: {@link org.jgits3.internal.store.s3.S3ObjectStore}. The only package that uses the
 * SDK.
 */
package org.jgits3.internal.store.s3;

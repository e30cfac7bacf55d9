// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code RefDatabase} that JGit calls.
 *
 * <p>Entry type: {@link org.jgits3.internal.refs.S3RefDatabase}.
 */
package org.jgits3.internal.refs;

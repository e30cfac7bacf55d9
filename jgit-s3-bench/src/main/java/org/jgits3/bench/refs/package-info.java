// SPDX-License-Identifier: Apache-2.0
/**
 * The suite {@code refs}: look-ups and changes in a repository of very many refs, by this library
 * and by what JGit offers. Entry point: {@link org.jgits3.bench.refs.RefsSuite}.
 */
package org.jgits3.bench.refs;

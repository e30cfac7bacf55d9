// SPDX-License-Identifier: Apache-2.0
/**
 * Finds the forks of a template.
 *
 * <p>Entry type: {@link org.jgits3.internal.fork.Forks}. Depends on manifests and the store.
 */
package org.jgits3.internal.fork;

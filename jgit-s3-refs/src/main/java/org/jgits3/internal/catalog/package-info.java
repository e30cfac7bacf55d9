// SPDX-License-Identifier: Apache-2.0
/**
 * Names of repositories: creates, lists, renames and deletes them.
 *
 * <p>Entry type: {@link org.jgits3.internal.catalog.RepositoryCatalog}.
 */
package org.jgits3.internal.catalog;

// SPDX-License-Identifier: Apache-2.0
/**
 * Names of repositories: creates, lists, renames and deletes them, and tells who holds what.
 *
 * <p>Entry types: {@link org.jgits3.internal.catalog.RepositoryCatalog} and {@link
 * org.jgits3.internal.catalog.NameIndex}.
 */
package org.jgits3.internal.catalog;

// SPDX-License-Identifier: Apache-2.0
/**
 * Whole repositories on their way into a store and out of it.
 *
 * <p>{@link org.jgits3.transfer.Importer} makes a repository from one elsewhere, {@link
 * org.jgits3.transfer.Exporter} a directory for Git from a repository. Depends on {@code
 * org.jgits3} and what that depends on; nothing in the library depends on it.
 */
package org.jgits3.transfer;

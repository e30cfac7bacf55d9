// SPDX-License-Identifier: Apache-2.0
/**
 * The one mutable object of a repository, and the only way it changes: one conditional PUT.
 *
 * <p>{@link org.jgits3.manifest.Manifest} is the value, {@link
 * org.jgits3.manifest.ManifestCommitter} the commit loop of one repository in one process, {@link
 * org.jgits3.manifest.Bindings} creates, lists, renames and deletes repositories. Depends on {@code
 * org.jgits3.store} only.
 */
package org.jgits3.manifest;

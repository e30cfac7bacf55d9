// SPDX-License-Identifier: Apache-2.0
/**
 * {@link org.jgits3.store.ObjectStore} on a local directory.
 *
 * <p>Entry type: {@link org.jgits3.internal.store.file.DirectoryObjectStore}.
 */
package org.jgits3.internal.store.file;

// SPDX-License-Identifier: Apache-2.0
/**
 * The only code that talks to storage: a handful of verbs on objects named by keys, on S3 or on a
 * local directory.
 *
 * <p>Depends on nothing else of this project. Entry types: {@link org.jgits3.store.ObjectStore} and
 * {@link org.jgits3.store.StoreLocation}, which opens one.
 */
package org.jgits3.store;

// SPDX-License-Identifier: Apache-2.0
/**
 * Contract of an object store: a handful of verbs on objects named by keys.
 *
 * <p>{@link org.jgits3.store.ObjectStore} is the contract, {@link org.jgits3.store.StoreLocation}
 * names a store. Depends on nothing else of this project.
 */
package org.jgits3.store;

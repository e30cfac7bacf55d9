// SPDX-License-Identifier: Apache-2.0
/**
 * A store of another kind, in a jar of its own: objects in memory, at URLs of the scheme {@code
 * memory}. The jar names {@link org.jgits3.examples.store.MemoryStoreProvider} in {@code
 * META-INF/services}.
 */
package org.jgits3.examples.store;

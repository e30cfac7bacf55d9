// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/**
 * One entry of a listing.
 *
 * @param key key relative to the store
 * @param size length in bytes
 */
public record ListedObject(String key, long size) {}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.util.Optional;

/**
 * One entry of a listing.
 *
 * @param key key relative to the store
 * @param size length in bytes
 * @param version version that a read gives of the same bytes; empty if the store would have to read
 *     the object to tell it, as a directory would
 */
public record ListedObject(String key, long size, Optional<ObjectVersion> version) {}

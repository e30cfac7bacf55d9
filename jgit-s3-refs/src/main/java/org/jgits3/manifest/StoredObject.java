// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

/**
 * An immutable object that a manifest lists.
 *
 * @param id minted name, see {@link ObjectNames}
 * @param size length in bytes
 * @param crc32c CRC32C of its bytes
 */
public record StoredObject(String id, long size, int crc32c) {}

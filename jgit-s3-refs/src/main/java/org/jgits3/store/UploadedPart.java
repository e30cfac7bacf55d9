// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/**
 * A part that the store has acknowledged.
 *
 * @param number part number, from 1
 * @param tag the store's token for the part
 * @param size length in bytes
 * @param crc32c CRC32C of the part's bytes
 */
public record UploadedPart(int number, String tag, long size, int crc32c) {}

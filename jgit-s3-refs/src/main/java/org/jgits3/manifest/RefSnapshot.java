// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;

/**
 * An immutable object with refs under {@code refs/} as of one generation, in Git's packed-refs
 * format, sorted and fully peeled: all of them, or those that differ from another such object.
 *
 * @param id minted name
 * @param size length in bytes
 * @param count number of refs
 * @param crc32c CRC32C of the bytes, checked at every load
 * @param sha256 SHA-256 of the bytes in hex, which proves a snapshot derived without a download
 */
public record RefSnapshot(
    @JsonDeserialize(using = StoredValues.Minted.class) String id,
    long size,
    long count,
    @StoredValues.HexInt int crc32c,
    @JsonDeserialize(using = StoredValues.Sha256.class) String sha256) {}

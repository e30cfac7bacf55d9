// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;

/**
 * An immutable object that a manifest lists.
 *
 * @param id minted name, see {@link ObjectNames}
 * @param size length in bytes
 * @param crc32c CRC32C of its bytes
 */
@JsonFormat(shape = JsonFormat.Shape.ARRAY)
public record StoredObject(
    @JsonDeserialize(using = StoredValues.Minted.class) String id,
    long size,
    @StoredValues.HexInt int crc32c) {}

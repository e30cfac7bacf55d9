// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.ArrayList;
import java.util.List;

/**
 * One file of a pack.
 *
 * @param size length in bytes
 * @param range for a pack, bytes of each range whose CRC32C is stored behind the pack's index; else
 *     0
 * @param crc32c CRC32C of the file's bytes
 * @param offset where the file begins within the pack's bundle; -1 if it is an object of its own
 */
@JsonFormat(shape = JsonFormat.Shape.ARRAY)
public record PackFileEntry(
    long size,
    int range,
    @StoredValues.HexInt int crc32c,
    @JsonDeserialize(using = StoredValues.Offset.class) @JsonSetter(nulls = Nulls.AS_EMPTY)
        long offset) {
  /** Stored form, which omits the offset if the file is an object of its own. */
  @JsonValue
  private List<Object> tuple() {
    List<Object> tuple = new ArrayList<>(List.of(size, range, StoredValues.hex(crc32c)));
    if (bundled()) {
      tuple.add(offset);
    }
    return tuple;
  }

  /**
   * Tests whether the file is a slice of the pack's bundle.
   *
   * @return true for a slice, false for an object of its own
   */
  public boolean bundled() {
    return offset >= 0;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.databind.JsonNode;

/** A JSON array of fixed shape. */
final class JsonTuple {
  private final String what;
  private final JsonNode node;

  /**
   * A tuple.
   *
   * @param what what to call it in messages
   * @param node the array
   * @param min smallest number of elements
   * @param max largest number of elements
   * @throws IllegalArgumentException if it is no such array
   */
  JsonTuple(String what, JsonNode node, int min, int max) {
    if (!node.isArray() || node.size() < min || node.size() > max) {
      throw new IllegalArgumentException(what + " has a malformed entry");
    }
    this.what = what;
    this.node = node;
  }

  int size() {
    return node.size();
  }

  JsonNode value(int index) {
    return node.get(index);
  }

  String text(int index) {
    return JsonFields.asText(value(index));
  }

  /** A number from 0. */
  long number(int index) {
    return natural(what, value(index));
  }

  long signed(int index) {
    return integer(what, value(index));
  }

  static long natural(String what, JsonNode value) {
    long number = integer(what, value);
    if (number < 0) {
      throw new IllegalArgumentException(what + " has the negative number " + number);
    }
    return number;
  }

  private static long integer(String what, JsonNode value) {
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw new IllegalArgumentException(what + " has " + value + " where a number belongs");
    }
    return value.longValue();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;

/** A value in an answer of Gerrit. */
record Json(JsonElement value) {
  static Json parse(String text) {
    return new Json(JsonParser.parseString(text));
  }

  Json at(String name) {
    return new Json(value.isJsonObject() ? value.getAsJsonObject().get(name) : null);
  }

  Json at(int index) {
    return new Json(value.getAsJsonArray().get(index));
  }

  boolean has(String name) {
    return value.isJsonObject() && value.getAsJsonObject().has(name);
  }

  int size() {
    return value.isJsonArray() ? value.getAsJsonArray().size() : value.getAsJsonObject().size();
  }

  String text() {
    return value == null ? null : value.getAsString();
  }

  int number() {
    return value.getAsInt();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.tools;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;

/** A value in an answer of Gerrit. */
public record Json(JsonElement value) {
  public static Json parse(String text) {
    return new Json(JsonParser.parseString(text));
  }

  public Json at(String name) {
    return new Json(value.isJsonObject() ? value.getAsJsonObject().get(name) : null);
  }

  public Json at(int index) {
    return new Json(value.getAsJsonArray().get(index));
  }

  public boolean has(String name) {
    return value.isJsonObject() && value.getAsJsonObject().has(name);
  }

  public int size() {
    return value.isJsonArray() ? value.getAsJsonArray().size() : value.getAsJsonObject().size();
  }

  public String text() {
    return value == null ? null : value.getAsString();
  }

  public int number() {
    return value.getAsInt();
  }
}

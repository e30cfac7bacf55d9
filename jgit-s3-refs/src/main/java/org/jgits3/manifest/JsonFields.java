// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A JSON object whose fields must have the types that are asked for. */
final class JsonFields {
  private final String what;
  private final JsonNode node;

  /**
   * An object.
   *
   * @param what what to call it in messages
   * @param node the object
   * @throws IllegalArgumentException if it is none
   */
  JsonFields(String what, JsonNode node) {
    if (!node.isObject()) {
      throw new IllegalArgumentException(what + " is no JSON object");
    }
    this.what = what;
    this.node = node;
  }

  String text(String field) {
    return asText(required(field));
  }

  /** A number from 0. */
  long number(String field) {
    return JsonTuple.natural(what, required(field));
  }

  List<String> texts(String field) {
    return list(field).stream().map(JsonFields::asText).toList();
  }

  /** The elements of an array; none if the field is absent. */
  List<JsonNode> list(String field) {
    JsonNode value = node.get(field);
    return value == null ? List.of() : elements(field, value);
  }

  Optional<JsonFields> object(String field) {
    return value(field).map(value -> new JsonFields(field, value));
  }

  Optional<JsonNode> value(String field) {
    return Optional.ofNullable(node.get(field));
  }

  /** All fields. */
  Set<Map.Entry<String, JsonNode>> all() {
    return node.properties();
  }

  /** The fields that are not known. */
  Map<String, JsonNode> others(Set<String> known) {
    Map<String, JsonNode> others = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : all()) {
      if (!known.contains(entry.getKey())) {
        others.put(entry.getKey(), entry.getValue());
      }
    }
    return others;
  }

  /** Refuses fields where the format allows no others. */
  void noOthers(Set<String> known) {
    Set<String> others = others(known).keySet();
    if (!others.isEmpty()) {
      throw new IllegalArgumentException(what + " has unknown fields " + others);
    }
  }

  static List<JsonNode> elements(String what, JsonNode value) {
    if (!value.isArray()) {
      throw new IllegalArgumentException(what + " is no list");
    }
    List<JsonNode> elements = new ArrayList<>(value.size());
    value.forEach(elements::add);
    return elements;
  }

  static String asText(JsonNode value) {
    if (!value.isTextual()) {
      throw new IllegalArgumentException("has " + value.getNodeType() + " where a text belongs");
    }
    return value.textValue();
  }

  private JsonNode required(String field) {
    JsonNode value = node.get(field);
    if (value == null) {
      throw new IllegalArgumentException(what + " lacks the field " + field);
    }
    return value;
  }
}

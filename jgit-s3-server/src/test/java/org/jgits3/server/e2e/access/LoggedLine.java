// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Line of the log of accesses, read as strictly as a program of an operator may.
 *
 * @param kind kind of the access
 * @param values its values by name
 */
record LoggedLine(String kind, Map<String, String> values) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String VALUE =
      "(?:[^\\s\"=\\\\]+|\"(?:[^\"\\\\]|\\\\[\"\\\\]|\\\\u[0-9a-f]{4})*\")";

  /** Matches any line of the server in the form of text. */
  private static final Pattern LINE =
      Pattern.compile(
          "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\S+ (?:ERROR|WARN |INFO |DEBUG)"
              + " (?<logger>\\w+): (?<message>.*)");

  private static final Pattern ACCESS =
      Pattern.compile("(?<kind>[a-z]+(?: [a-z]+)?)(?<values>(?: [a-z]+=" + VALUE + ")*)");
  private static final Pattern PAIR = Pattern.compile(" (?<key>[a-z]+)=(?<value>" + VALUE + ")");

  /** Reads the lines of accesses among all lines of a log, each of which has to be well formed. */
  static List<LoggedLine> inText(List<String> log) {
    return log.stream()
        .map(
            line -> {
              Matcher matcher = LINE.matcher(line);
              assertThat(matcher.matches()).as(line).isTrue();
              return matcher;
            })
        .filter(line -> line.group("logger").equals("access"))
        .map(line -> ofText(line.group("message")))
        .toList();
  }

  private static LoggedLine ofText(String message) {
    Matcher access = ACCESS.matcher(message);
    assertThat(access.matches()).as(message).isTrue();
    Map<String, String> values = new LinkedHashMap<>();
    Matcher pair = PAIR.matcher(access.group("values"));
    while (pair.find()) {
      String value = pair.group("value");
      String before =
          values.put(pair.group("key"), value.startsWith("\"") ? read(value).asText() : value);
      assertThat(before).as(message).isNull();
    }
    return new LoggedLine(access.group("kind"), values);
  }

  /** The same of a log in the form of JSON. */
  static List<LoggedLine> inJson(List<String> log) {
    return log.stream()
        .map(LoggedLine::read)
        .filter(line -> line.get("logger").asText().equals("org.jgits3.access"))
        .map(
            line -> {
              Map<String, String> values = new LinkedHashMap<>();
              line.properties()
                  .forEach(field -> values.put(field.getKey(), field.getValue().asText()));
              return new LoggedLine(values.get("message"), values);
            })
        .toList();
  }

  /** Number of lines that a log in the form of JSON says are lost. */
  static long lost(List<String> log) {
    return log.stream()
        .filter(line -> line.contains("lines of the log were lost"))
        .mapToLong(line -> read(line).get("lines").asLong())
        .sum();
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new AssertionError(json, e);
    }
  }

  boolean is(String expected) {
    return kind.equals(expected);
  }

  String get(String key) {
    return values.get(key);
  }

  long number(String key) {
    return Long.parseLong(values.get(key));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import java.util.Arrays;
import java.util.List;

/**
 * A trace by which a model breaks a rule, as it prints them.
 *
 * @param name the case
 * @param given what there is at first, and what is done
 * @param steps what happens then
 */
public record Trace(String name, List<String> given, List<String> steps) {
  private static final String FAILS = "[FAIL] ";
  private static final String WITH = "with ";

  /** Finds the traces in the output of a model. */
  static List<Trace> in(String output) {
    return Arrays.stream(output.split("\n(?=\\S)"))
        .filter(each -> each.startsWith(FAILS))
        .map(each -> of(each.lines().map(String::strip).toList()))
        .toList();
  }

  private static Trace of(List<String> lines) {
    String name = lines.get(0).split(" ", 3)[1];
    List<String> given = List.of(lines.get(1).substring(WITH.length()).split(", "));
    return new Trace(name, given, lines.subList(2, lines.size()));
  }

  @Override
  public String toString() {
    return name;
  }
}

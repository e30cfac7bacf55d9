// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Units of figures. */
public enum Unit {
  /** Time. */
  NANOSECONDS("ns") {
    @Override
    String format(double value) {
      if (value < 1e3) {
        return number(value) + " ns";
      }
      if (value < 1e6) {
        return number(value / 1e3) + " µs";
      }
      return value < 1e9 ? number(value / 1e6) + " ms" : number(value / 1e9) + " s";
    }
  },
  /** Memory. */
  BYTES("bytes"),
  /** Memory, in MiB. */
  MEGABYTES("MB"),
  /** Rate of a transfer, in MiB a second. */
  MEGABYTES_PER_SECOND("MB/s"),
  /** A multiple of another figure. */
  TIMES("×"),
  /** Things that happen in a second. */
  PER_SECOND("/s"),
  /** Things that are counted, or a code. */
  COUNT("") {
    @Override
    String format(double value) {
      return number(value);
    }
  },
  /** Requests to the store. */
  REQUESTS("requests") {
    @Override
    String format(double value) {
      return value == 1 ? "1 request" : super.format(value);
    }
  };

  private final String symbol;

  Unit(String symbol) {
    this.symbol = symbol;
  }

  /**
   * Name of the unit in JSON results.
   *
   * @return the name
   */
  @JsonValue
  public String symbol() {
    return symbol;
  }

  /**
   * Direction in which figures are better.
   *
   * @return true if more is better, false if less is
   */
  public boolean moreIsBetter() {
    return this == MEGABYTES_PER_SECOND || this == TIMES || this == PER_SECOND;
  }

  /** Tests whether figures are exact, so that any difference is significant. */
  boolean counted() {
    return this == COUNT || this == REQUESTS;
  }

  /** A value for people. */
  String format(double value) {
    return number(value) + " " + symbol;
  }

  /** Three significant digits; whole numbers as they are. */
  static String number(double value) {
    if (value >= 1000 || value == Math.rint(value)) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  }
}

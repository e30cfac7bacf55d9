// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;

/**
 * The heaps that a proposal to the SDK measured in 2023 with its changes A1, A2 and B, in the same
 * way but on another machine: a GET of 258 MB over the asynchronous client of the AWS Common
 * Runtime, 20 times in a row. Source: <a
 * href="https://github.com/rtyley/aws-sdk-async-response-bytes">rtyley/aws-sdk-async-response-bytes</a>.
 */
final class Published2023 {
  static final String CASE = "published in 2023, another machine: smallest -Xmx, GET of 258 MB";

  private static final Map<String, Integer> MEGABYTES = new LinkedHashMap<>();

  static {
    MEGABYTES.put("crt-async-none", 1070);
    MEGABYTES.put("crt-async-A1", 934);
    MEGABYTES.put("crt-async-A1+A2", 644);
    MEGABYTES.put("crt-async-B", 787);
    MEGABYTES.put("crt-async-A1+B", 657);
    MEGABYTES.put("crt-async-A1+A2+B", 357);
  }

  private Published2023() {}

  static List<Row> rows() {
    return MEGABYTES.entrySet().stream()
        .map(e -> Row.of(CASE, e.getKey(), Unit.MEGABYTES, Figure.exactly(e.getValue())))
        .toList();
  }
}

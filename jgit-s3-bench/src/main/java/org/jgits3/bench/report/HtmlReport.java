// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * Results as one page with tables and charts that needs nothing else: the charting library
 * (Chart.js, from its WebJar), the page's own script and style, and the results as JSON are all in
 * it.
 */
public final class HtmlReport {
  private static final String LIBRARY = "META-INF/maven/org.webjars.npm/chart.js/pom.properties";
  private static final String PAGE = "org/jgits3/bench/report/page.";

  private HtmlReport() {}

  /**
   * Writes results.
   *
   * @param results what to write
   * @return HTML
   */
  public static String of(Results results) {
    return resource(PAGE + "html")
        .replace("@STYLE@", resource(PAGE + "css"))
        .replace("@LIBRARY@", library())
        .replace("@SCRIPT@", resource(PAGE + "js"))
        .replace("@RESULTS@", JsonReport.of(results).replace("<", "\\u003c"));
  }

  private static String library() {
    Properties properties = new Properties();
    try (InputStream in = open(LIBRARY)) {
      properties.load(in);
    } catch (IOException e) {
      throw new IllegalStateException(LIBRARY + " cannot be read", e);
    }
    String directory =
        "META-INF/resources/webjars/chart.js/" + properties.getProperty("version") + "/dist/";
    return resource(directory + "chart.umd.min.js").replaceAll("//# sourceMappingURL=\\S*", "");
  }

  private static String resource(String name) {
    try (InputStream in = open(name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(name + " cannot be read", e);
    }
  }

  private static InputStream open(String name) throws IOException {
    InputStream in = HtmlReport.class.getClassLoader().getResourceAsStream(name);
    if (in == null) {
      throw new IOException(name + " is not on the class path");
    }
    return in;
  }
}

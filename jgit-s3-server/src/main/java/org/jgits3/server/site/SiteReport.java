// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.site;

import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jgits3.server.terminal.Output;
import org.jgits3.server.terminal.Quantity;

/** Reports the outcome for each repository of a site, immediately and in a summary. */
public final class SiteReport {
  private final SortedMap<String, Outcome> repositories = new TreeMap<>();
  private final Output output;

  /** Outcome for one repository. */
  public enum Outcome {
    IMPORTED,
    UPDATED,
    EQUAL,
    EXPORTED,
    /** Found at the destination alone, and left there. */
    NOT_IN_STORE,
    FAILED;

    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** Result as {@code --json} prints it. */
  private record Json(boolean ok, String directory, Map<String, Outcome> repositories) {}

  /**
   * Begins a report.
   *
   * @param output prints a line for each repository, or JSON at the end
   */
  public SiteReport(Output output) {
    this.output = output;
  }

  /**
   * Reports the outcome for a repository.
   *
   * @param name its name
   * @param outcome the outcome
   */
  public void add(String name, Outcome outcome) {
    tell(name, outcome, "");
  }

  /**
   * Reports that a repository was left out, which makes the command fail at its end.
   *
   * @param name its name
   * @param why one line
   */
  public void failed(String name, String why) {
    tell(name, Outcome.FAILED, ": " + why);
  }

  private void tell(String name, Outcome outcome, String why) {
    repositories.put(name, outcome);
    output.line(name + ": " + outcome.word() + why);
  }

  /**
   * Prints the summary.
   *
   * @param directory of the site, for JSON
   * @param before beginning of the line
   * @param outcomes possible outcomes besides failures
   * @return exit code: 0, or 1 if a repository was left out
   */
  public int end(String directory, String before, Outcome... outcomes) {
    boolean ok = !repositories.containsValue(Outcome.FAILED);
    StringBuilder line = new StringBuilder(before);
    line.append(Quantity.of(repositories.size(), "project"));
    for (Outcome outcome : outcomes) {
      line.append(count(outcome));
    }
    line.append(count(Outcome.FAILED));
    output.result(new Json(ok, directory, repositories), line.toString());
    return ok ? 0 : 1;
  }

  private String count(Outcome outcome) {
    long count = repositories.values().stream().filter(outcome::equals).count();
    return ", " + count + ' ' + outcome.word();
  }
}

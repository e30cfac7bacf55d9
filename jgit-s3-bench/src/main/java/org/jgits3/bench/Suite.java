// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.IOException;
import java.util.List;
import org.jgits3.bench.report.SuiteResult;

/** Measurements that belong together, made side by side in one run. */
public interface Suite {
  /**
   * Name on the command line and in the results.
   *
   * @return a short lower-case word
   */
  String name();

  /**
   * Tells users what the suite is for.
   *
   * @return the question that it answers, what it runs against, and how long it takes
   */
  String about();

  /**
   * Keys of the figures this suite is judged by. A result without one of them says that it is
   * missing.
   *
   * @return the keys, in the order of the report
   */
  List<String> headlineKeys();

  /**
   * The same where the keys depend on what is to be done.
   *
   * @param context what to do
   * @return the keys, in the order of the report
   */
  default List<String> headlineKeys(SuiteContext context) {
    return headlineKeys();
  }

  /**
   * Looks whether there is what the suite needs from the command line or the environment, before
   * anything is measured. Called only if the suite was asked for by its name: as a part of {@code
   * all} it measures what it can, and what it cannot is missing.
   *
   * @param context what to do and where
   * @throws WrongUsageException if there is not
   */
  default void check(SuiteContext context) {}

  /**
   * Measures. What cannot be measured is in the result as missing, with the reason; the suite goes
   * on.
   *
   * @param context what to do and where
   * @return what was measured
   * @throws IOException if nothing can be measured, with one line that says why
   * @throws InterruptedException if the thread was interrupted
   */
  SuiteResult run(SuiteContext context) throws IOException, InterruptedException;
}

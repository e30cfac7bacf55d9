// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Rule of the design that a test, or the tests of a class, hold: one of them fails without it. The
 * page {@code invariants.md} lists each rule once, with all classes whose tests have it.
 */
@Repeatable(Holds.All.class)
@Retention(RetentionPolicy.SOURCE)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Holds {
  /**
   * Classes that keep the rule, a colon, the rule, and model cases that break without it.
   *
   * @return for example {@code ManifestFile: No two manifests have equal bytes (A8)}
   */
  String value();

  /** Several rules. */
  @Retention(RetentionPolicy.SOURCE)
  @Target({ElementType.TYPE, ElementType.METHOD})
  @interface All {
    /**
     * The rules.
     *
     * @return in the order of the source
     */
    Holds[] value();
  }
}

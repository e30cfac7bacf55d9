// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A test of random input, run once for each of several {@linkplain RandomSeed seeds}: its first
 * parameter.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "seed {0}")
@ArgumentsSource(RandomSeed.Source.class)
@ExtendWith(RandomSeed.Named.class)
public @interface Seeds {
  /**
   * Number of seeds of a full run. An ordinary one has a third of them.
   *
   * @return how many
   */
  int value();
}

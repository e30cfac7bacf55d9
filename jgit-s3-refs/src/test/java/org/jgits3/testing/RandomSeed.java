// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.lang.reflect.Method;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.opentest4j.TestAbortedException;

/**
 * Seeds of tests of random input. They begin with {@code -Dtest.seed=N}, of which CI draws another
 * one each time, and without it with the same one in every run, so that a failure is that of a
 * change. {@code -Dtest.full=true} takes more of them. A failure names the property that repeats
 * it.
 */
public final class RandomSeed {
  private static final String PROPERTY = "test.seed";
  private static final long USUAL = 1;

  private RandomSeed() {}

  /** A test of one seed. */
  @FunctionalInterface
  public interface Run {
    /**
     * Runs the test.
     *
     * @param seed what is random follows from it
     * @throws Exception if it fails
     */
    void with(int seed) throws Exception;
  }

  /**
   * The first seed of this run.
   *
   * @return a number from 1 to 2<sup>30</sup>
   */
  public static int first() {
    return Math.toIntExact(Long.getLong(PROPERTY, USUAL));
  }

  /**
   * Number of seeds for this run.
   *
   * @param ordinary for ordinary runs
   * @param full for full runs, as in CI
   * @return one of the two
   */
  public static int count(int ordinary, int full) {
    return Boolean.getBoolean("test.full") ? full : ordinary;
  }

  /**
   * Runs a test with several seeds.
   *
   * @param count how many
   * @param run the test
   */
  public static void forEach(int count, Run run) {
    for (int seed = first(); seed < first() + count; seed++) {
      try {
        run.with(seed);
      } catch (Exception | AssertionError e) {
        throw failure(seed, e);
      }
    }
  }

  /**
   * Tells how to repeat a failure.
   *
   * @param seed of the test
   * @param e its failure
   * @return the failure, with the property that begins with the seed
   */
  public static AssertionError failure(long seed, Throwable e) {
    return new AssertionError("with -D" + PROPERTY + "=" + seed + ": " + e.getMessage(), e);
  }

  /** The seeds of a parameterized test. */
  static final class Source implements ArgumentsProvider, AnnotationConsumer<Seeds> {
    private int count;

    @Override
    public void accept(Seeds seeds) {
      count = count((seeds.value() + 2) / 3, seeds.value());
    }

    @Override
    public Stream<? extends Arguments> provideArguments(
        ParameterDeclarations parameters, ExtensionContext context) {
      return LongStream.range(first(), first() + count).mapToObj(Arguments::of);
    }
  }

  /** Names the seed of a test that fails. */
  public static final class Named implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> method,
        ExtensionContext context)
        throws Throwable {
      proceed(invocation, first());
    }

    @Override
    public void interceptTestTemplateMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> method,
        ExtensionContext context)
        throws Throwable {
      boolean seeds = method.getExecutable().isAnnotationPresent(Seeds.class);
      proceed(invocation, seeds ? (Long) method.getArguments().get(0) : first());
    }

    private static void proceed(Invocation<Void> invocation, long seed) throws Throwable {
      try {
        invocation.proceed();
      } catch (TestAbortedException skipped) {
        throw skipped;
      } catch (Exception | AssertionError e) {
        throw failure(seed, e);
      }
    }
  }
}

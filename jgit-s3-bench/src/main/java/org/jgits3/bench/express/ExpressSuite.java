// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.WrongUsageException;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Session;

/**
 * Single requests, as the S3 Express benchmark of the Rust SDK makes them, and what the client
 * takes of their time.
 *
 * <p>Buckets are those of the environment, at AWS or at the server that was named. Without any, the
 * suite, as a part of {@code all}, creates two: at the server that was named, or at one of its own.
 * Asked for by its name without buckets it refuses, since it would measure something else than was
 * meant.
 */
public final class ExpressSuite implements Suite {
  private final Map<String, String> variables;

  /** The suite, with the environment of this process. */
  public ExpressSuite() {
    this(System.getenv());
  }

  /**
   * The suite.
   *
   * @param variables the environment
   */
  ExpressSuite(Map<String, String> variables) {
    this.variables = variables;
  }

  @Override
  public String name() {
    return "express";
  }

  @Override
  public String about() {
    return "What does the client add to the time of a single request? Beside the SDK as it is; on directory buckets of S3 Express if there are some. 5 min; quick: 2.";
  }

  @Override
  public List<String> headlineKeys() {
    return List.of(ExpressRun.GET_CLIENT, ExpressRun.PUT_CLIENT);
  }

  @Override
  public void check(SuiteContext context) {
    ExpressEnvironment environment = ExpressEnvironment.of(variables, context.effort());
    if (environment.buckets().isEmpty() && !environment.clientOnly()) {
      throw new WrongUsageException(
          ExpressEnvironment.BUCKETS
              + " is not set; name buckets, separated by commas, or set CLIENT_ONLY=true to measure"
              + " without any");
    }
  }

  @Override
  public SuiteResult run(SuiteContext context) throws IOException, InterruptedException {
    ExpressEnvironment environment;
    try {
      environment = ExpressEnvironment.of(variables, context.effort());
    } catch (WrongUsageException e) {
      Row row = Row.failed("environment", ExpressBenchmark.SDK, Unit.REQUESTS, ErrorLine.of(e));
      return SuiteResult.of(name(), Map.of(), List.of(row), ExpressBenchmark.SDK);
    }
    ExpressRun run = new ExpressRun(context, environment);
    if (!environment.clientOnly()) {
      measure(context, environment, run);
    }
    run.measureClient();
    return run.result();
  }

  private static void measure(SuiteContext context, ExpressEnvironment environment, ExpressRun run)
      throws IOException, InterruptedException {
    List<String> named = environment.buckets();
    int calls = environment.iterations();
    if (!named.isEmpty() && context.server().isEmpty()) {
      measure(new ExpressTarget(Optional.empty(), named, calls), run);
      return;
    }
    try (S3Session s3 = context.openS3()) {
      List<String> buckets = named.isEmpty() ? created(s3) : named;
      measure(new ExpressTarget(Optional.of(s3.endpoint()), buckets, calls), run);
    }
  }

  private static List<String> created(S3Session s3) throws IOException {
    s3.createBucket("express-1");
    s3.createBucket("express-2");
    return List.of(s3.endpoint().bucket("express-1"), s3.endpoint().bucket("express-2"));
  }

  private static void measure(ExpressTarget target, ExpressRun run) throws IOException {
    ExpressObjects objects = ExpressObjects.write(target);
    try {
      run.measure(target);
    } finally {
      remove(objects, run);
    }
  }

  private static void remove(ExpressObjects objects, ExpressRun run) {
    try {
      objects.close();
    } catch (IOException e) {
      run.left(e);
    }
  }
}

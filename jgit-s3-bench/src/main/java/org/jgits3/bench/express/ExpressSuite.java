// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.IOException;
import java.net.URI;
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
import org.jgits3.bench.server.S3Endpoint;
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
    return "What does the client add to the time of a single request? Beside a bare socket; on directory buckets of S3 Express if there are some. 5 min; quick: 2.";
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
    return run.finish();
  }

  private static void measure(SuiteContext context, ExpressEnvironment environment, ExpressRun run)
      throws IOException, InterruptedException {
    List<String> named = environment.buckets();
    if (!named.isEmpty() && context.server().isEmpty()) {
      forgetOwnServer();
      measure(target(Optional.empty(), "", named, environment), List.of(), run);
      return;
    }
    try (S3Session s3 = context.openS3()) {
      S3Endpoint at = s3.endpoint();
      List<String> buckets = named.isEmpty() ? created(s3) : named;
      measure(
          target(Optional.of(at.uri()), at.region(), buckets, environment), at.jvmOptions(), run);
    }
  }

  /** The credentials of a server that a suite before has started are not those of AWS. */
  private static void forgetOwnServer() {
    if (S3Endpoint.ofThisJvm().filter(S3Endpoint::own).isPresent()) {
      System.clearProperty("aws.accessKeyId");
      System.clearProperty("aws.secretAccessKey");
    }
  }

  private static List<String> created(S3Session s3) throws IOException {
    s3.createBucket("express-1");
    s3.createBucket("express-2");
    return List.of(s3.endpoint().bucket("express-1"), s3.endpoint().bucket("express-2"));
  }

  private static ExpressTarget target(
      Optional<URI> endpoint, String region, List<String> buckets, ExpressEnvironment environment) {
    return new ExpressTarget(endpoint, region, buckets, environment.iterations());
  }

  private static void measure(ExpressTarget target, List<String> jvmOptions, ExpressRun run)
      throws IOException {
    ExpressObjects objects = ExpressObjects.write(target);
    try {
      run.measure(target, jvmOptions);
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

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.server;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * How to reach an S3 server on this machine. Goes to the JVMs that are forked as system properties.
 *
 * @param uri its address
 */
public record S3Endpoint(URI uri) {
  static final String ACCESS_KEY = "jgits3bench";
  static final String SECRET_KEY = "jgits3bench-secret";

  private static final String PROPERTY = "jgits3.bench.endpoint";

  /**
   * The server that the JVM which forked this one has started.
   *
   * @return the server; empty if there is none
   */
  public static Optional<S3Endpoint> ofThisJvm() {
    return Optional.ofNullable(System.getProperty(PROPERTY)).map(URI::create).map(S3Endpoint::new);
  }

  /**
   * Options that make a JVM know this server and its credentials.
   *
   * @return options for the command line
   */
  public List<String> jvmOptions() {
    return List.of(
        "-D" + PROPERTY + "=" + uri,
        "-Daws.accessKeyId=" + ACCESS_KEY,
        "-Daws.secretAccessKey=" + SECRET_KEY);
  }

  /** Makes this JVM know the server's credentials. */
  public void useHere() {
    System.setProperty(PROPERTY, uri.toString());
    System.setProperty("aws.accessKeyId", ACCESS_KEY);
    System.setProperty("aws.secretAccessKey", SECRET_KEY);
  }

  /**
   * How the library reaches this server.
   *
   * @param bucket bucket to use
   * @return a config
   */
  public String config(String bucket) {
    return String.format(
        "[s3]%n\tstore = s3://%s%n\tendpoint = %s%n\tregion = us-east-1%n\tpathStyle = true%n",
        bucket, uri);
  }
}

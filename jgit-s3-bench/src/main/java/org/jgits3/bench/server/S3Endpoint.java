// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.server;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Address and region of an S3 server. Goes to the forked JVMs as system properties; the credentials
 * of a server that this run has not started stay in the environment, which they inherit.
 *
 * @param uri its address
 * @param region its region
 * @param bucketPrefix what the names of its buckets begin with
 * @param own whether this run has started it
 */
public record S3Endpoint(URI uri, String region, String bucketPrefix, boolean own) {
  static final String ACCESS_KEY = "jgits3bench";
  static final String SECRET_KEY = "jgits3bench-secret";

  private static final String PROPERTY = "jgits3.bench.endpoint";

  /**
   * A server that this run has started.
   *
   * @param uri its address
   * @return the server
   */
  public static S3Endpoint own(URI uri) {
    return new S3Endpoint(uri, Region.US_EAST_1.id(), "", true);
  }

  /** A server that this run was given. */
  static S3Endpoint given(URI uri, String region, String bucketPrefix) {
    return new S3Endpoint(uri, region, bucketPrefix, false);
  }

  /**
   * The server that the JVM which forked this one uses.
   *
   * @return the server; empty if there is none
   */
  public static Optional<S3Endpoint> ofThisJvm() {
    return Optional.ofNullable(System.getProperty(PROPERTY))
        .map(
            uri ->
                new S3Endpoint(
                    URI.create(uri),
                    System.getProperty(PROPERTY + ".region"),
                    System.getProperty(PROPERTY + ".prefix"),
                    Boolean.getBoolean(PROPERTY + ".own")));
  }

  private Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(PROPERTY, uri.toString());
    properties.put(PROPERTY + ".region", region);
    properties.put(PROPERTY + ".prefix", bucketPrefix);
    properties.put(PROPERTY + ".own", Boolean.toString(own));
    if (own) {
      properties.put("aws.accessKeyId", ACCESS_KEY);
      properties.put("aws.secretAccessKey", SECRET_KEY);
    }
    return properties;
  }

  /**
   * Options that make a JVM know this server and its credentials.
   *
   * @return options for the command line
   */
  public List<String> jvmOptions() {
    List<String> options = new ArrayList<>();
    properties().forEach((name, value) -> options.add("-D" + name + "=" + value));
    return options;
  }

  /** Makes this JVM know the server and its credentials. */
  public void useHere() {
    properties().forEach(System::setProperty);
  }

  /** Makes this JVM forget them: another suite may use another server. */
  public void forgetHere() {
    properties().keySet().forEach(System::clearProperty);
  }

  /**
   * Environment of another program that is to use this server: the variables that AWS's own tools
   * read.
   *
   * @return values by name
   */
  public Map<String, String> environment() {
    AwsCredentials credentials = credentials();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("AWS_ENDPOINT_URL", uri.toString());
    variables.put("AWS_REGION", region);
    variables.put("AWS_DEFAULT_REGION", region);
    variables.put("AWS_ACCESS_KEY_ID", credentials.accessKeyId());
    variables.put("AWS_SECRET_ACCESS_KEY", credentials.secretAccessKey());
    if (credentials instanceof AwsSessionCredentials session) {
      variables.put("AWS_SESSION_TOKEN", session.sessionToken());
    }
    return variables;
  }

  /**
   * Its credentials, from the AWS environment unless this run has started it.
   *
   * @return the credentials
   */
  public AwsCredentials credentials() {
    if (own) {
      return AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY);
    }
    try (DefaultCredentialsProvider provider = DefaultCredentialsProvider.builder().build()) {
      return provider.resolveCredentials();
    }
  }

  /**
   * A client of this server, to prepare and to look after.
   *
   * @return the client, to be closed
   */
  public S3Client client() {
    return S3Client.builder()
        .httpClientBuilder(Apache5HttpClient.builder())
        .endpointOverride(uri)
        .region(Region.of(region))
        .forcePathStyle(true)
        .credentialsProvider(StaticCredentialsProvider.create(credentials()))
        .build();
  }

  /**
   * Opens the library's store on a bucket.
   *
   * @param bucket its name at the server
   * @return the store, to be closed
   * @throws IOException if it cannot be opened
   */
  public ObjectStore store(String bucket) throws IOException {
    return Stores.open(
        new StoreLocation.Bucket(bucket, ""),
        new StoreOptions(
            Optional.of(uri), Optional.of(region), true, StoreOptions.DEFAULT.connections()));
  }

  /**
   * Name that a bucket has at the server.
   *
   * @param name its name within the benchmarks
   * @return the name
   */
  public String bucket(String name) {
    return bucketPrefix + name;
  }

  /**
   * Returns the library's config for a bucket of this server.
   *
   * @param name its name within the benchmarks
   * @return a config
   */
  public String config(String name) {
    return String.format(
        "[s3]%n\tstore = s3://%s%n\tendpoint = %s%n\tregion = %s%n\tpathStyle = true%n",
        bucket(name), uri, region);
  }

  /**
   * Opens the library on a bucket of this server, in this JVM.
   *
   * @param name its name within the benchmarks
   * @return the repositories in it, to be closed
   * @throws IOException if it cannot be used
   */
  public S3RepositoryManager repositories(String name) throws IOException {
    return S3RepositoryManager.open(settings(config(name)));
  }

  /**
   * Parses the library's config.
   *
   * @param config its text
   * @return the settings
   * @throws IOException if it is wrong
   */
  public static S3Settings settings(String config) throws IOException {
    Config parsed = new Config();
    try {
      parsed.fromText(config);
      return S3Settings.from(parsed, "benchmark");
    } catch (ConfigInvalidException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Location of a store: {@code file:DIR}, {@code s3://bucket/prefix}, or another URL. */
public sealed interface StoreLocation {
  /**
   * A local directory.
   *
   * @param path the directory; created when the store is opened
   */
  record Directory(Path path) implements StoreLocation {
    private static final String SCHEME = "file:";

    private static Directory parse(String url) {
      String path = url.substring(SCHEME.length());
      if (path.startsWith("//")) {
        if (!path.startsWith("///")) {
          throw new IllegalArgumentException(
              url + ": a file URL names no host; write file:DIR or file:///DIR");
        }
        path = path.substring(2);
      }
      if (path.isBlank()) {
        throw new IllegalArgumentException(url + ": the directory is missing; write file:DIR");
      }
      try {
        return new Directory(Path.of(path));
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException(url + ": not a path: " + e.getReason(), e);
      }
    }

    @Override
    public String toString() {
      return SCHEME + path;
    }
  }

  /**
   * A bucket, or a part of one.
   *
   * @param bucket bucket name
   * @param prefix prefix of all keys, without leading or trailing slash; empty for none
   */
  record Bucket(String bucket, String prefix) implements StoreLocation {
    /** S3 allows 1,024 bytes; 900 belong to the keys of {@link ObjectStore}, one to the slash. */
    private static final int MAX_PREFIX = 123;

    private static final String SCHEME = "s3://";
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
    private static final Pattern SEGMENT = Pattern.compile("[A-Za-z0-9!_.*'()=@:,+-]+");

    /**
     * Checks the names.
     *
     * @throws IllegalArgumentException with one line that says what is wrong
     */
    public Bucket {
      if (!NAME.matcher(bucket).matches()) {
        throw new IllegalArgumentException(
            "'"
                + bucket
                + "' is not a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens;"
                + " write s3://bucket/prefix");
      }
      if (!prefix.isEmpty() && !Arrays.stream(prefix.split("/", -1)).allMatch(Bucket::isSegment)) {
        throw new IllegalArgumentException(
            "'"
                + prefix
                + "' is not a prefix: segments of ASCII letters, digits and !_.*'()=@:,+-"
                + " separated by single slashes; none of them '.' or '..'");
      }
      if (prefix.length() > MAX_PREFIX) {
        throw new IllegalArgumentException(
            "prefix of " + prefix.length() + " characters; at most " + MAX_PREFIX + " are allowed");
      }
    }

    private static boolean isSegment(String segment) {
      return SEGMENT.matcher(segment).matches() && !segment.equals(".") && !segment.equals("..");
    }

    private static Bucket parse(String url) {
      String rest = url.substring(SCHEME.length());
      int slash = rest.indexOf('/');
      if (slash < 0) {
        return new Bucket(rest, "");
      }
      String prefix = rest.substring(slash + 1);
      return new Bucket(
          rest.substring(0, slash),
          prefix.length() > 1 && prefix.endsWith("/")
              ? prefix.substring(0, prefix.length() - 1)
              : prefix);
    }

    @Override
    public String toString() {
      return SCHEME + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
    }
  }

  /**
   * A store of another kind, whose provider reads the URL.
   *
   * @param scheme scheme of the URL, without its colon
   * @param url the URL as it was written
   */
  record Provided(String scheme, String url) implements StoreLocation {
    private static final Pattern URL = Pattern.compile("([a-z][a-z0-9+.-]*):.*", Pattern.DOTALL);

    private static Provided parse(String url) {
      Matcher matcher = URL.matcher(url);
      if (!matcher.matches() || matcher.group(1).equals("s3")) {
        throw new IllegalArgumentException(
            "'" + withoutSecrets(url) + "' is not a store; write file:DIR or s3://bucket/prefix");
      }
      return new Provided(matcher.group(1), url);
    }

    /** Leaves out what often has a password or a token: user and query. */
    private static String withoutSecrets(String url) {
      return url.replaceFirst("//[^?]*@", "//").replaceFirst("(?s)\\?.*", "");
    }

    /** The URL without user and query, for messages. */
    @Override
    public String toString() {
      return withoutSecrets(url);
    }
  }

  /**
   * Parses a location.
   *
   * @param url {@code file:DIR}, relative to the working directory or absolute, also as {@code
   *     file:///DIR}, taken literally; or {@code s3://bucket/prefix}, with or without a slash at
   *     its end; or a URL of another scheme
   * @return the location
   * @throws IllegalArgumentException with one line that says what is wrong
   */
  static StoreLocation parse(String url) {
    if (url.startsWith(Directory.SCHEME)) {
      return Directory.parse(url);
    }
    if (url.startsWith(Bucket.SCHEME)) {
      return Bucket.parse(url);
    }
    return Provided.parse(url);
  }
}

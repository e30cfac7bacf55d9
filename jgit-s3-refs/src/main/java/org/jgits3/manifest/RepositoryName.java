// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The checked name of a repository, without {@code .git}.
 *
 * <p>Names are case sensitive and may hold any character that can be shown on a line, except the
 * backslash and U+FFFD. No segment ends in {@code .git} or {@code .lock} in any case, so that no
 * name's key is ever a path prefix of another, also where a directory ignores case.
 *
 * @param value name as people write it, segments separated by {@code /}
 */
public record RepositoryName(String value) {
  /** Prefix of the keys of all names. */
  public static final String PREFIX = "names/";

  private static final String GIT = ".git";
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

  /** Character that decoders put in the place of bytes they cannot decode. */
  private static final char UNDECODABLE = '\uFFFD';

  private static final int MAX_CHARACTERS = 255;
  private static final int MAX_SEGMENT_BYTES = 240;
  private static final int MAX_KEY_BYTES = 900;

  /**
   * Checks a name that carries no suffix to be removed.
   *
   * @throws IllegalArgumentException with one line that says what is wrong with it
   */
  public RepositoryName {
    check(value);
  }

  /**
   * Checks a name.
   *
   * @param name name as given by a user or a URL; one trailing {@code .git} is removed
   * @return the name
   * @throws IllegalArgumentException with one line that says what is wrong with it
   */
  public static RepositoryName of(String name) {
    return new RepositoryName(
        name.endsWith(GIT) ? name.substring(0, name.length() - GIT.length()) : name);
  }

  /**
   * The name whose pointer a key holds.
   *
   * @param key key of an object
   * @return the name; empty if the key is not one that {@link #pointerKey} makes
   */
  public static Optional<RepositoryName> fromPointerKey(String key) {
    if (!key.startsWith(PREFIX) || !key.endsWith(GIT)) {
      return Optional.empty();
    }
    try {
      RepositoryName name =
          new RepositoryName(decode(key.substring(PREFIX.length(), key.length() - GIT.length())));
      return name.pointerKey().equals(key) ? Optional.of(name) : Optional.empty();
    } catch (IllegalArgumentException notOurs) {
      return Optional.empty();
    }
  }

  /**
   * Key of the pointer of this name.
   *
   * @return {@code names/<encoded name>.git}, US-ASCII, at most 900 bytes
   */
  public String pointerKey() {
    return PREFIX + encode(value) + GIT;
  }

  /**
   * Beginning of the keys of the names in the group that this one names.
   *
   * @return a prefix that ends in a slash
   */
  public String groupKey() {
    return PREFIX + encode(value) + '/';
  }

  @Override
  public String toString() {
    return value;
  }

  private static void check(String name) {
    if (name.isEmpty()) {
      throw refuse(name, "is empty");
    }
    if (name.length() > MAX_CHARACTERS) {
      throw refuse(name, "has " + name.length() + " characters, at most 255 are allowed");
    }
    checkCharacters(name);
    if (name.startsWith("/")) {
      throw refuse(name, "is absolute");
    }
    for (String segment : name.split("/", -1)) {
      checkSegment(name, segment);
    }
    int keyBytes = PREFIX.length() + encode(name).length() + GIT.length();
    if (keyBytes > MAX_KEY_BYTES) {
      throw refuse(name, "makes a key of " + keyBytes + " bytes, at most 900 are allowed");
    }
  }

  private static void checkCharacters(String name) {
    Matcher control = CONTROL.matcher(name);
    if (control.find()) {
      int found = control.group().charAt(0);
      throw refuse(name, String.format(Locale.ROOT, "has a control character, U+%04X", found));
    }
    if (name.indexOf('\\') >= 0) {
      throw refuse(name, "has a backslash");
    }
    if (name.indexOf(UNDECODABLE) >= 0) {
      throw refuse(name, "has U+FFFD, which stands for bytes that are not UTF-8; check the locale");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw refuse(name, "has half of a surrogate pair");
    }
  }

  private static void checkSegment(String name, String segment) {
    String lower = segment.toLowerCase(Locale.ROOT);
    if (segment.isEmpty()) {
      throw refuse(name, "has an empty segment");
    }
    if (segment.chars().allMatch(c -> c == '.')) {
      throw refuse(name, "has a segment of dots only");
    }
    if (!segment.equals(segment.strip())) {
      throw refuse(name, "has a segment that begins or ends with a space");
    }
    if (lower.endsWith(GIT) || lower.endsWith(".lock")) {
      throw refuse(name, "has a segment that ends in .git or .lock");
    }
    int bytes = encode(segment).length();
    if (bytes > MAX_SEGMENT_BYTES) {
      throw refuse(
          name, "has a segment of " + bytes + " bytes when encoded, at most 240 are allowed");
    }
  }

  private static IllegalArgumentException refuse(String name, String what) {
    String shown =
        CONTROL.matcher(name.substring(0, Math.min(name.length(), MAX_CHARACTERS))).replaceAll("?");
    return new IllegalArgumentException("repository name '" + shown + "' " + what);
  }

  /** Percent-encodes all but ASCII letters, digits, slashes and {@code ._~+=@-}. */
  private static String encode(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8)
        .replace("*", "%2A")
        .replace("+", "%20")
        .replace("%2F", "/")
        .replace("%7E", "~")
        .replace("%2B", "+")
        .replace("%3D", "=")
        .replace("%40", "@");
  }

  private static String decode(String encoded) {
    return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}

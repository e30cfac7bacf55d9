// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jgit.transport.URIish;

/**
 * Removes user and password of a URL from messages and stored texts. JGit removes only the
 * password, but the user of a URL is often a token.
 */
final class UserInfo {
  private static final Set<String> LOCAL = Set.of("file", "bundle");

  /** Matches the user of a URL anywhere in a text, which ends at a slash or a space. */
  private static final Pattern IN_TEXT = Pattern.compile("(?<=://)[^/\\s]*@");

  /** Matches the user in a location that is not a URL, such as one with a slash in the password. */
  private static final Pattern IN_LOCATION =
      Pattern.compile("(?<=://).*@|^[^/@]*@", Pattern.DOTALL);

  private final String shown;
  private final List<String> forms;
  private final List<String> parts;

  /**
   * Creates a filter for the user of one URL.
   *
   * @param uri URL, with or without a user
   */
  UserInfo(URIish uri) {
    URIish bare = uri.setUser(null).setPass(null);
    boolean understood = uri.getHost() != null || LOCAL.contains(String.valueOf(uri.getScheme()));
    shown = understood ? bare.toString() : without(bare.toString());
    URIish user = uri.setPass(null);
    forms =
        Stream.of(
                uri.toPrivateString(),
                uri.toPrivateASCIIString(),
                user.toString(),
                user.toASCIIString())
            .toList();
    parts =
        uri.getUser() == null
            ? List.of()
            : List.of(uri.getUser() + ":" + uri.getPass() + "@", uri.getUser() + "@");
  }

  /** Removes a possible user and password from a location that could not be parsed. */
  static String without(String location) {
    return IN_LOCATION.matcher(location).replaceFirst("");
  }

  /** The URL without its user and password. */
  String shown() {
    return shown;
  }

  /**
   * Removes user and password from the messages of a failure and its causes.
   *
   * @param e any failure
   * @return the failure itself if it has neither
   */
  IOException hidden(IOException e) {
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (at.getMessage() != null && !at.getMessage().equals(hidden(at.getMessage()))) {
        return copy(e);
      }
    }
    return e;
  }

  private IOException copy(Throwable e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    IOException copy =
        new IOException(hidden(message), e.getCause() == null ? null : copy(e.getCause()));
    copy.setStackTrace(e.getStackTrace());
    return copy;
  }

  private String hidden(String message) {
    String left = message;
    for (String form : forms) {
      left = left.replace(form, shown);
    }
    left = IN_TEXT.matcher(left).replaceAll("");
    for (String part : parts) {
      left = left.replace(part, "");
    }
    return left;
  }
}

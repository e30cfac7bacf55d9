// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import at.favre.lib.crypto.bcrypt.BCrypt;

/** Lines of a file of users. */
public final class TestUsers {
  private TestUsers() {}

  /** A user whose password is checked quickly. */
  public static String line(String name, String password) {
    return line(name, 4, password);
  }

  /** A user whose password is checked in so many rounds, as a power of two. */
  public static String line(String name, int cost, String password) {
    return name + ":" + hash(cost, password) + "\n";
  }

  static String hash(int cost, String password) {
    return BCrypt.with(BCrypt.Version.VERSION_2Y).hashToString(cost, password.toCharArray());
  }
}

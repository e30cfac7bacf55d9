// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bcrypt hashes of an htpasswd file: {@code NAME:HASH} lines, as {@code htpasswd -B} writes
 * them. Immutable.
 */
final class Htpasswd {
  /** Two to the power of this many rounds; more would let one request burn a core for seconds. */
  static final int MAX_COST = 16;

  private static final Pattern BCRYPT =
      Pattern.compile("\\$2[abxy]\\$(?<cost>\\d\\d)\\$[./A-Za-z0-9]{53}");

  private final Map<String, String> hashes;
  private final int highestCost;

  private Htpasswd(Map<String, String> hashes, int highestCost) {
    this.hashes = hashes;
    this.highestCost = highestCost;
  }

  /**
   * Reads lines. Empty lines and those that begin with {@code #} are skipped.
   *
   * @param lines lines of the file
   * @param file name of the file, for messages
   * @return the hashes
   * @throws UsersFile.InvalidException for a line of another form, another kind of hash, a cost
   *     above {@link #MAX_COST} or a name that occurs twice, naming file and line
   */
  static Htpasswd parse(List<String> lines, String file) throws UsersFile.InvalidException {
    Map<String, String> hashes = new HashMap<>();
    int highestCost = 0;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String where = file + ":" + (i + 1) + ": ";
      int colon = line.indexOf(':');
      if (colon <= 0) {
        throw new UsersFile.InvalidException(where + "expected NAME:HASH");
      }
      String hash = line.substring(colon + 1);
      highestCost = Math.max(highestCost, cost(hash, where));
      String name = line.substring(0, colon);
      if (hashes.put(name, hash) != null) {
        throw new UsersFile.InvalidException(where + "user " + name + " occurs twice");
      }
    }
    return new Htpasswd(hashes, highestCost);
  }

  private static int cost(String hash, String where) throws UsersFile.InvalidException {
    Matcher bcrypt = BCRYPT.matcher(hash);
    if (!bcrypt.matches()) {
      throw new UsersFile.InvalidException(
          where + "not a bcrypt hash; make one with htpasswd -B FILE NAME");
    }
    int cost = Integer.parseInt(bcrypt.group("cost"));
    if (cost < 4 || cost > MAX_COST) {
      throw new UsersFile.InvalidException(
          where + "bcrypt cost " + cost + " is not between 4 and " + MAX_COST);
    }
    return cost;
  }

  /**
   * The hash of a user's password.
   *
   * @param user name as the client sent it
   * @return the hash; empty if there is no such user
   */
  Optional<String> hash(String user) {
    return Optional.ofNullable(hashes.get(user));
  }

  /**
   * Cost of the most expensive hash, which a check for an unknown user has to match.
   *
   * @return bcrypt cost; 0 if there are no users
   */
  int highestCost() {
    return highestCost;
  }
}

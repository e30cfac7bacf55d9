// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jgits3.server.terminal.LogLine;

/**
 * Bcrypt hashes of an htpasswd file: {@code NAME:HASH} lines, as {@code htpasswd -B} writes them.
 * Immutable.
 */
public final class Htpasswd {
  /**
   * Maximum cost: the logarithm to base two of the number of rounds. More would let one request
   * burn a core for seconds.
   */
  static final int MAX_COST = 16;

  /** Maximum length of a password in bytes of UTF-8: bcrypt ignores the rest. */
  static final int MAX_PASSWORD = 72;

  /** Cost of new hashes; a check takes some 60 ms. */
  private static final int NEW_COST = 10;

  /** Maximum length of a name in bytes of UTF-8, as in htpasswd. */
  private static final int MAX_NAME = 255;

  private static final int LEAST_COST = 4;

  /** Character that stands for bytes that are not UTF-8. */
  private static final char UNDECODABLE = '\uFFFD';

  /** Position of the two digits of the cost in a hash. */
  private static final int COST_AT = 4;

  private static final Pattern BCRYPT =
      Pattern.compile("\\$2[abxy]\\$(?<cost>\\d\\d)\\$[./A-Za-z0-9]{53}");

  private final Map<String, String> hashes;
  private final int highestCost;
  private final String unknown = unknown();

  private Htpasswd(Map<String, String> hashes, int highestCost) {
    this.hashes = hashes;
    this.highestCost = highestCost;
  }

  /**
   * Reads lines in UTF-8. Empty lines and those that begin with {@code #} are skipped.
   *
   * @param bytes content of the file
   * @param file name of the file, for messages
   * @return the hashes
   * @throws UsersFile.InvalidException for a line of another form, another kind of hash, a cost
   *     above {@link #MAX_COST}, or a name that cannot be one or occurs twice, naming file and line
   */
  static Htpasswd parse(byte[] bytes, String file) throws UsersFile.InvalidException {
    List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
    Map<String, String> hashes = new LinkedHashMap<>();
    int highestCost = 0;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String where = file + ":" + (i + 1) + ": ";
      if (line.indexOf(UNDECODABLE) >= 0) {
        throw new UsersFile.InvalidException(where + "not UTF-8");
      }
      int colon = line.indexOf(':');
      if (colon <= 0) {
        throw new UsersFile.InvalidException(where + "expected NAME:HASH");
      }
      String hash = line.substring(colon + 1);
      highestCost = Math.max(highestCost, cost(hash, where));
      String name = line.substring(0, colon);
      Optional<String> fault = faultOf(name);
      if (fault.isPresent()) {
        throw new UsersFile.InvalidException(where + fault.get());
      }
      if (hashes.put(name, hash) != null) {
        throw new UsersFile.InvalidException(where + "user " + name + " occurs twice");
      }
    }
    return new Htpasswd(hashes, highestCost);
  }

  /**
   * Finds why a name cannot be in a file of users, or cannot be shown safely.
   *
   * @param name name of a user
   * @return the reason; empty if the name can be used
   */
  static Optional<String> faultOf(String name) {
    if (name.isEmpty()) {
      return Optional.of("the name is empty");
    } else if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME) {
      return Optional.of("the name has more than " + MAX_NAME + " bytes");
    } else if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)
        || name.indexOf(UNDECODABLE) >= 0) {
      return Optional.of("the name is not UTF-8");
    } else if (name.indexOf(':') >= 0) {
      return Optional.of("the name contains a colon");
    } else if (name.startsWith("#")) {
      return Optional.of("the name begins with #, as comments do");
    } else if (!name.equals(name.strip())) {
      return Optional.of("the name begins or ends with a space");
    } else if (!name.equals(LogLine.printable(name))) {
      return Optional.of("the name contains a control character");
    }
    return Optional.empty();
  }

  /**
   * Hashes a password.
   *
   * @param password the password
   * @return its hash, as it stands in a line
   * @throws UsersFile.InvalidException if bcrypt or HTTP cannot take the password
   */
  static String hashOf(String password) throws UsersFile.InvalidException {
    byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0) {
      throw new UsersFile.InvalidException("the password is empty");
    } else if (bytes.length > MAX_PASSWORD) {
      throw new UsersFile.InvalidException(
          "the password has more than " + MAX_PASSWORD + " bytes, which is all that bcrypt uses");
    } else if (password.chars().anyMatch(Character::isISOControl)) {
      throw new UsersFile.InvalidException("the password contains a control character");
    }
    byte[] hash = BCrypt.with(BCrypt.Version.VERSION_2Y).hash(NEW_COST, bytes);
    return new String(hash, StandardCharsets.US_ASCII);
  }

  private static int cost(String hash, String where) throws UsersFile.InvalidException {
    Matcher bcrypt = BCRYPT.matcher(hash);
    if (!bcrypt.matches()) {
      throw new UsersFile.InvalidException(
          where + "not a bcrypt hash; make one with jgit-s3 users add");
    }
    int cost = Integer.parseInt(bcrypt.group("cost"));
    if (cost < LEAST_COST || cost > MAX_COST) {
      throw new UsersFile.InvalidException(
          where + "bcrypt cost " + cost + " is not between " + LEAST_COST + " and " + MAX_COST);
    }
    return cost;
  }

  /** Tests whether there are no users. */
  boolean isEmpty() {
    return hashes.isEmpty();
  }

  /** Names of the users, in the order of the file. */
  List<String> names() {
    return List.copyOf(hashes.keySet());
  }

  /**
   * Hash of a user's password.
   *
   * @param user name as the client sent it
   * @return the hash; empty if there is no such user
   */
  Optional<String> hash(String user) {
    return Optional.ofNullable(hashes.get(user));
  }

  /**
   * Decoys to check a wrong password against, so that a failure takes the same time for every user.
   * Each step of the cost doubles the time, so one decoy of each cost, from that of the user's hash
   * up to one below the highest, makes up the difference.
   *
   * @param hash hash that the password was checked against; empty if there is no such user
   * @return hashes of unknown passwords
   */
  List<String> decoys(Optional<String> hash) {
    int highest = Math.max(LEAST_COST, highestCost);
    if (hash.isEmpty()) {
      return List.of(decoy(highest));
    }
    return IntStream.range(cost(hash.get()), highest).mapToObj(this::decoy).toList();
  }

  private String decoy(int cost) {
    return "$2y$%02d$%s".formatted(cost, unknown);
  }

  private static int cost(String hash) {
    return Integer.parseInt(hash.substring(COST_AT, COST_AT + 2));
  }

  /** Salt and hash, without the cost, of an unknown password. */
  private static String unknown() {
    byte[] password = new byte[16];
    new SecureRandom().nextBytes(password);
    byte[] hash = BCrypt.with(BCrypt.Version.VERSION_2Y).hash(LEAST_COST, password);
    return new String(hash, StandardCharsets.US_ASCII).substring(COST_AT + 3);
  }
}

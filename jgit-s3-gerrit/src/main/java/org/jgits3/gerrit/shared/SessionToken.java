// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hashing;
import com.google.gerrit.entities.Account;
import com.google.gerrit.httpd.WebSessionManager.Val;
import java.io.ObjectStreamClass;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Tokens of web sessions, in the form that Gerrit gives them: a version, the id of the account, and
 * the number of random bytes that follow, encoded with six bits for each character. A text of
 * another form names no session, so nothing has to be asked about it.
 */
final class SessionToken {
  /** Prefix of the keys of all sessions. */
  static final String SESSIONS = "gerrit-sessions/";

  private static final String DIGITS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";

  private static final long VERSION = ObjectStreamClass.lookup(Val.class).getSerialVersionUID();

  private static final int RANDOM_BYTES = 20;

  /** Length of the largest numbers: seven bits for each byte. */
  private static final int NUMBER_BYTES = 5;

  private static final int MOST_BYTES = 3 * NUMBER_BYTES + RANDOM_BYTES;

  private SessionToken() {}

  /** Prefix of the keys of all sessions of an account. */
  static String sessionsOf(Account.Id account) {
    return SESSIONS + account.get() + "/";
  }

  /**
   * Returns the key of the session that a token names. The key has a hash of the token, so that
   * read access to the store does not suffice to use the session, and the account, so that all
   * sessions of an account are found by one listing.
   *
   * @return the key; empty if Gerrit makes no such tokens
   */
  static Optional<String> key(String token) {
    if (token.length() > digits(MOST_BYTES)
        || !token.chars().allMatch(c -> DIGITS.indexOf(c) >= 0)) {
      return Optional.empty();
    }
    ByteBuffer bytes = decode(token);
    if (digits(bytes.remaining()) != token.length() || number(bytes) != VERSION) {
      return Optional.empty();
    }
    int account = number(bytes);
    boolean isRandom = number(bytes) == RANDOM_BYTES && bytes.remaining() == RANDOM_BYTES;
    return account > 0 && isRandom
        ? Optional.of(sessionsOf(Account.id(account)) + Hashing.sha256().hashString(token, UTF_8))
        : Optional.empty();
  }

  private static int digits(int bytes) {
    return (bytes * Byte.SIZE + 5) / 6;
  }

  private static ByteBuffer decode(String token) {
    ByteBuffer bytes = ByteBuffer.allocate(token.length() * 6 / Byte.SIZE);
    int bits = 0;
    int count = 0;
    for (int i = 0; i < token.length(); i++) {
      bits = bits << 6 | DIGITS.indexOf(token.charAt(i));
      count += 6;
      if (count >= Byte.SIZE) {
        count -= Byte.SIZE;
        bytes.put((byte) (bits >> count));
      }
    }
    return bytes.flip();
  }

  /** Reads a number; -1 if there is none. */
  private static int number(ByteBuffer bytes) {
    int number = 0;
    for (int i = 0; i < NUMBER_BYTES && bytes.hasRemaining(); i++) {
      int next = bytes.get();
      number |= (next & 0x7f) << 7 * i;
      if (next >= 0) {
        return number;
      }
    }
    return -1;
  }
}

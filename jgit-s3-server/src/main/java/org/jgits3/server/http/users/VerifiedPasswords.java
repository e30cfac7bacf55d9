// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verified passwords, one for each user, as digests under a key that never leaves this object. A
 * digest includes the hash that the password was verified against, so a user whose hash has changed
 * is not known any more, and all others still are. Safe for use by many threads.
 */
final class VerifiedPasswords {
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  /** Digests by user. Only names of the file are added. */
  private final Map<String, byte[]> digests = new ConcurrentHashMap<>();

  VerifiedPasswords() {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    key = new SecretKeySpec(random, ALGORITHM);
  }

  boolean contains(String user, String hash, byte[] password) {
    byte[] known = digests.get(user);
    return known != null && MessageDigest.isEqual(known, digest(hash, password));
  }

  void add(String user, String hash, byte[] password) {
    digests.put(user, digest(hash, password));
  }

  private byte[] digest(String hash, byte[] password) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      // All hashes are of one length, so different pairs never look the same.
      mac.update(hash.getBytes(StandardCharsets.US_ASCII));
      return mac.doFinal(password);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is part of every JDK", e);
    }
  }
}

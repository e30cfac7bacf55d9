// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verified passwords, as digests under a key that never leaves this object. Holds a bounded number,
 * and evicts the least recently used first, which a map of the JDK does in a few lines. Safe for
 * use by many threads.
 */
public final class VerifiedPasswords {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int CAPACITY = 1024;

  private final SecretKeySpec key;

  /** In order of use; guarded by itself. */
  private final Map<ByteBuffer, Boolean> digests =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Boolean> eldest) {
          return size() > CAPACITY;
        }
      };

  VerifiedPasswords() {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    key = new SecretKeySpec(random, ALGORITHM);
  }

  boolean contains(String user, byte[] password) {
    ByteBuffer digest = digest(user, password);
    synchronized (digests) {
      return digests.get(digest) != null;
    }
  }

  void add(String user, byte[] password) {
    ByteBuffer digest = digest(user, password);
    synchronized (digests) {
      digests.put(digest, Boolean.TRUE);
    }
  }

  private ByteBuffer digest(String user, byte[] password) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(user.getBytes(StandardCharsets.UTF_8));
      // No name holds a colon, so that no two pairs run together.
      mac.update((byte) ':');
      return ByteBuffer.wrap(mac.doFinal(password));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is part of every JDK", e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jgits3.internal.store.cache.LruCache;

/**
 * Verified passwords, as digests under a key that never leaves this object. Holds a bounded number.
 * Safe for use by many threads.
 */
public final class VerifiedPasswords {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int CAPACITY = 1024;

  private final SecretKeySpec key;
  private final LruCache<ByteBuffer, Boolean> digests = new LruCache<>(CAPACITY);

  VerifiedPasswords() {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    key = new SecretKeySpec(random, ALGORITHM);
  }

  boolean contains(String user, byte[] password) {
    return digests.get(digest(user, password)).isPresent();
  }

  void add(String user, byte[] password) {
    digests.put(digest(user, password), Boolean.TRUE, 1);
  }

  private ByteBuffer digest(String user, byte[] password) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(user.getBytes(StandardCharsets.UTF_8));
      // No name contains a colon, so different pairs of name and password never look the same.
      mac.update((byte) ':');
      return ByteBuffer.wrap(mac.doFinal(password));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is part of every JDK", e);
    }
  }
}

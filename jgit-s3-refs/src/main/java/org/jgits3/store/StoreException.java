// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;

/**
 * Failure of a request to the store. The subclass tells the caller what to do; the message names
 * the key and the next step.
 */
public class StoreException extends IOException {
  private final String key;

  /**
   * A failure.
   *
   * @param key key (or prefix) the request was about, relative to the store
   * @param message one line that names the object and what to do
   * @param cause failure of the transport, or null
   */
  public StoreException(String key, String message, Throwable cause) {
    super(message, cause);
    this.key = key;
  }

  /**
   * The key the failed request was about.
   *
   * @return key, relative to the store
   */
  public String key() {
    return key;
  }

  /** There is no such object. The caller re-reads the source of the key, and tries the new key. */
  public static final class Missing extends StoreException {
    /**
     * A missing object.
     *
     * @param key its key
     * @param message one line
     * @param cause failure of the transport, or null
     */
    public Missing(String key, String message, Throwable cause) {
      super(key, message, cause);
    }
  }

  /**
   * The object has another version than the one asked for. The caller starts over with the new
   * version.
   */
  public static final class Changed extends StoreException {
    /**
     * A changed object.
     *
     * @param key its key
     * @param message one line
     * @param cause failure of the transport, or null
     */
    public Changed(String key, String message, Throwable cause) {
      super(key, message, cause);
    }
  }

  /**
   * The bytes are not those that were written: shorter, longer, or with another checksum. A retry
   * never hides it, and the object is never overwritten.
   */
  public static final class Corrupt extends StoreException {
    /**
     * A corrupt object.
     *
     * @param key its key
     * @param message one line
     * @param cause exception that revealed it, or null
     */
    public Corrupt(String key, String message, Throwable cause) {
      super(key, message, cause);
    }
  }

  /**
   * The store could not be reached or answered with a fault of its own, even after all retries that
   * are safe for the request. The caller may try again later.
   */
  public static class Unavailable extends StoreException {
    /**
     * A store that does not answer.
     *
     * @param key key the request was about
     * @param message one line
     * @param cause failure of the transport, or null
     */
    public Unavailable(String key, String message, Throwable cause) {
      super(key, message, cause);
    }
  }

  /**
   * The store answers, but its answer breaks off, even after the rest was requested repeatedly: the
   * network is bad, or the store can no longer read the object.
   */
  public static final class BrokenOff extends Unavailable {
    /**
     * An answer that breaks off.
     *
     * @param key key the request was about
     * @param message one line
     * @param cause failure of the transport, or null
     */
    public BrokenOff(String key, String message, Throwable cause) {
      super(key, message, cause);
    }
  }

  /**
   * The store refused the request for good: wrong bucket, wrong or missing credentials, clock skew,
   * a read-only or full directory. An administrator has to change something.
   */
  public static class Refused extends StoreException {
    /**
     * A refusal.
     *
     * @param key key the request was about
     * @param message one line that says what to change
     * @param cause failure of the transport, or null
     */
    public Refused(String key, String message, Throwable cause) {
      super(key, message, cause);
    }
  }

  /**
   * The store answers that it does not know this kind of request, or a part of it. An administrator
   * has to choose another store, or other settings of the client.
   */
  public static final class Unsupported extends Refused {
    /**
     * A request that the store does not know.
     *
     * @param key key the request was about
     * @param message one line that says what to change
     * @param cause failure of the transport, or null
     */
    public Unsupported(String key, String message, Throwable cause) {
      super(key, message, cause);
    }
  }
}

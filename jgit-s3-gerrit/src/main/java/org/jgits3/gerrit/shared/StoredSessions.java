// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.cache.AbstractCache;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.flogger.FluentLogger;
import com.google.common.hash.Hashing;
import com.google.gerrit.common.Nullable;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.httpd.WebSessionManager.Val;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/**
 * Web sessions in the store, by a hash of the token in the cookie, so that read access to the store
 * does not suffice to use them. A node remembers the sessions it used in the last {@link
 * #REMEMBERED}; a logout at another node takes effect here after that time at the latest. Safe for
 * use by many threads.
 */
@Singleton
class StoredSessions extends AbstractCache<String, Val> {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  private static final Duration REMEMBERED = Duration.ofSeconds(10);
  private static final String PREFIX = "gerrit-sessions/";

  /**
   * Upper bound, with much to spare, of the time between reads and writes of a session by one
   * request.
   */
  private static final Duration REQUEST = Duration.ofMinutes(10);

  /** Attempts to replace a session while others do so as well. */
  private static final int ATTEMPTS = 5;

  /** Allows bytes from the store to become objects of this class only. */
  private static final ObjectInputFilter ONLY_SESSIONS =
      ObjectInputFilter.Config.createFilter(Val.class.getName() + ";maxdepth=2;!*");

  private final S3GitRepositoryManager repositories;
  private final Cache<String, Val> remembered =
      CacheBuilder.newBuilder().expireAfterWrite(REMEMBERED).maximumSize(10_000).build();

  /** Sessions that were seen in the store; if one of them is no longer there, it has ended. */
  private final Cache<String, Boolean> begun =
      CacheBuilder.newBuilder().expireAfterAccess(REQUEST).maximumSize(20_000).build();

  /** Number of sessions that this node has ended; changes under the lock of this. */
  private final AtomicLong ended = new AtomicLong();

  @Inject
  StoredSessions(GitRepositoryManager repositories) {
    this.repositories = (S3GitRepositoryManager) repositories;
  }

  ObjectStore store() {
    return repositories.store();
  }

  private static String key(String token) {
    return PREFIX + Hashing.sha256().hashString(token, UTF_8);
  }

  @Override
  public Val getIfPresent(Object token) {
    Val known = remembered.getIfPresent(token);
    if (known != null) {
      begun.put((String) token, true);
      return known;
    }
    long before = ended.get();
    Val read = read(key((String) token));
    if (read != null) {
      remember((String) token, read, before);
    }
    return read;
  }

  /** Reads a session; null if there is none that this Gerrit can parse. */
  @Nullable
  private Val read(String key) {
    try {
      return store().get(key, Optional.empty()) instanceof GetResult.Found found
          ? parse(key, found.bytes())
          : null;
    } catch (IOException e) {
      throw new StorageException("web session " + key + " cannot be read", e);
    }
  }

  @Nullable
  private static Val parse(String key, byte[] bytes) {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      in.setObjectInputFilter(ONLY_SESSIONS);
      return (Val) in.readObject();
    } catch (ClassNotFoundException | IOException | RuntimeException e) { // of a newer Gerrit
      LOG.atInfo().atMostEvery(1, TimeUnit.MINUTES).log(
          "Web session %s cannot be parsed: %s", key, e.getMessage());
      return null;
    }
  }

  /** Remembers a session that was in the store, unless this node has ended one since. */
  private synchronized void remember(String token, Val session, long before) {
    begun.put(token, true);
    if (ended.get() == before) {
      remembered.put(token, session);
    } else {
      remembered.invalidate(token);
    }
  }

  private synchronized void forget(Object token) {
    ended.incrementAndGet();
    remembered.invalidate(token);
  }

  private static byte[] bytes(Val session) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(session);
    }
    return bytes.toByteArray();
  }

  @Override
  public void put(String token, Val session) {
    String key = key(token);
    long before = ended.get();
    try {
      if (write(key, bytes(session), begun.getIfPresent(token) != null)) {
        remember(token, session, before);
      } else {
        forget(token);
      }
    } catch (IOException e) {
      throw new StorageException("web session " + key + " cannot be stored", e);
    }
  }

  /**
   * Begins or extends a session, even while another node extends it. Returns false if the session
   * has ended: one that was begun and is no longer in the store is not written again.
   */
  private boolean write(String key, byte[] session, boolean extend) throws IOException {
    for (int i = 0; i < ATTEMPTS; i++) {
      Optional<Precondition> unchanged =
          store().get(key, Optional.empty()) instanceof GetResult.Found found
              ? Optional.of(Precondition.matches(found.version()))
              : Optional.of(Precondition.absent()).filter(absent -> !extend);
      if (unchanged.isEmpty()) {
        return false;
      }
      if (store().putIf(key, session, unchanged.get()) instanceof PutOutcome.Won) {
        return true;
      }
    }
    LOG.atWarning().log("Web session %s was not stored", key);
    return true;
  }

  @Override
  public void invalidate(Object token) {
    String key = key((String) token);
    try {
      store().delete(List.of(key));
    } catch (IOException e) {
      throw new StorageException("web session " + key + " cannot be ended", e);
    } finally {
      forget(token);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.flogger.FluentLogger;
import com.google.gerrit.common.Nullable;
import com.google.gerrit.entities.Account;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.httpd.WebSessionManager.Val;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.internal.net.ClientNetwork;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.Register;

/**
 * Web sessions in the store, one object for each. A node uses what it has read of a session for
 * {@link #REMEMBERED}; a session that has ended elsewhere ends here after that time at the latest.
 *
 * <p>Each session holds the <em>mark</em> that was in the store when it began. A session has ended
 * if its object is gone, or if the mark has changed since. Ending all of them is therefore one
 * write, of another mark, however many there are; ending those of an account deletes what one
 * listing finds.
 *
 * <p>A session that has ended never comes back:
 *
 * <ul>
 *   <li>Its token is random, and a browser gets a token only once its session is stored. So a token
 *       that names no session at some moment never will, unless it was guessed before Gerrit made
 *       it. A node may remember for any time that there is none, and a login elsewhere is not
 *       hidden by that.
 *   <li>A session begins by one attempt to write it. If the outcome is not known, and the session
 *       is not there, the login fails: an attempt that arrives later makes a session whose token no
 *       browser has, and not one that has ended meanwhile.
 *   <li>An extension replaces the version that its own request has read, and keeps its mark. If the
 *       session is deleted before that write, the write is refused, however late it arrives; if it
 *       is deleted later, what was written is deleted. If the mark is changed, before or after, the
 *       extended session still has the old one.
 *   <li>A mark is random, and replaces the version of the mark that was read before. So a write of
 *       a mark that arrives late is refused, and none comes back.
 *   <li>A session reads the mark from the store when it begins, so that one that begins after all
 *       were ended holds the new mark, whatever this node remembers.
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
@Singleton
public class StoredSessions {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  static final Duration REMEMBERED = Duration.ofSeconds(10);

  /** Object with the mark: not below the sessions, which a lifecycle rule may delete. */
  static final String MARK = "gerrit-session-mark";

  /** Attempts of a write that may be repeated, if the outcome is not known. */
  private static final int ATTEMPTS = 5;

  /**
   * Misses that a client may cause by tokens which this node has never found to name a session; ten
   * in a second are nothing to a store, and many more than browsers cause whose sessions have
   * ended.
   */
  private static final int MISSES = 100;

  /** Number of clients whose misses are remembered. */
  private static final int CLIENTS = 10_000;

  private final S3GitRepositoryManager repositories;

  private final Cache<String, StoredSession> remembered =
      CacheBuilder.newBuilder().expireAfterWrite(REMEMBERED).maximumSize(10_000).build();

  /**
   * Sessions by key: true if the object was there when it was last looked for; false once the
   * session has ended, for good.
   */
  private final Cache<String, Boolean> known =
      CacheBuilder.newBuilder().maximumSize(50_000).build();

  /** Misses by the network of the client, so that one client hides no session from others. */
  private final Cache<String, Misses> misses =
      CacheBuilder.newBuilder().expireAfterAccess(REMEMBERED).maximumSize(CLIENTS).build();

  /** The mark, as read last; changed under the lock of this. */
  private volatile Mark mark = new Mark(new byte[0], Optional.empty(), longAgo());

  /**
   * A mark, as it was at a moment or later.
   *
   * @param version version of its object; empty if there is none, as if it were empty
   * @param asOf reading of {@link System#nanoTime} before it was read
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Mark(byte[] bytes, Optional<ObjectVersion> version, long asOf) {}

  @Inject
  StoredSessions(GitRepositoryManager repositories) {
    this.repositories = (S3GitRepositoryManager) repositories;
  }

  ObjectStore store() {
    return repositories.store();
  }

  private static long longAgo() {
    return System.nanoTime() - 2 * REMEMBERED.toNanos();
  }

  private static boolean isRecent(long asOf) {
    return System.nanoTime() - asOf < REMEMBERED.toNanos();
  }

  /**
   * Finds a session.
   *
   * @param token value of a cookie, which may be invented
   * @param client address of the client
   * @return the session; empty if there is none that this Gerrit can parse, or too many tokens of
   *     this client were looked up lately that name none: then the request is noted to be in doubt
   * @throws StorageException if the store does not answer
   */
  Optional<StoredSession> find(String token, String client) {
    String key = SessionToken.key(token).orElse(null);
    if (key == null || isOver(key)) {
      return Optional.empty();
    }
    try {
      StoredSession session = remembered.getIfPresent(key);
      if (session == null || !isRecent(session.asOf())) {
        session = lookUp(key, client);
      }
      if (session == null || isMarked(session)) {
        return Optional.ofNullable(session);
      }
      ended(key);
      return Optional.empty();
    } catch (IOException e) {
      throw new StorageException("web session " + key + " cannot be read", e);
    }
  }

  private boolean isOver(String key) {
    return Boolean.FALSE.equals(known.getIfPresent(key));
  }

  @Nullable
  private StoredSession lookUp(String key, String client) throws IOException {
    boolean verified = known.getIfPresent(key) != null;
    if (!verified && misses(client).areTooMany()) {
      repositories.doubt();
      return null;
    }
    StoredSession read = read(key);
    if (read == null && isOver(key) && !verified) {
      misses(client).add();
    }
    return read;
  }

  private Misses misses(String client) {
    String network = ClientNetwork.of(client);
    return misses.asMap().computeIfAbsent(network, its -> new Misses(MISSES, REMEMBERED));
  }

  /** Reads a session; null if there is none that this Gerrit can parse. */
  @Nullable
  private StoredSession read(String key) throws IOException {
    long asOf = System.nanoTime();
    if (!(store().get(key, Optional.empty()) instanceof GetResult.Found found)) {
      ended(key);
      return null;
    }
    StoredSession session = StoredSession.parse(key, found.bytes(), found.version(), asOf);
    remember(key, session);
    return session;
  }

  /** Remembers a session that was in the store, unless it is known to have ended. */
  private void remember(String key, @Nullable StoredSession session) {
    boolean mayGoOn = known.asMap().merge(key, true, Boolean::logicalAnd);
    if (mayGoOn && session != null) {
      remembered.put(key, session);
    }
  }

  private void ended(String key) {
    known.put(key, false);
    remembered.invalidate(key);
  }

  /** Tests whether the mark of a session is the current one, or was within the time allowed. */
  private boolean isMarked(StoredSession session) throws IOException {
    Mark seen = mark;
    if (isRecent(seen.asOf()) && Arrays.equals(session.mark(), seen.bytes())) {
      return true;
    }
    return Arrays.equals(session.mark(), readMark().bytes()); // the session may be newer than it
  }

  private Mark readMark() throws IOException {
    long asOf = System.nanoTime();
    Mark read =
        store().get(MARK, Optional.empty()) instanceof GetResult.Found found
            ? new Mark(found.bytes(), Optional.of(found.version()), asOf)
            : new Mark(new byte[0], Optional.empty(), asOf);
    remember(read);
    return read;
  }

  private synchronized void remember(Mark read) {
    if (read.asOf() - mark.asOf() > 0) {
      mark = read;
    }
  }

  /**
   * Begins a session.
   *
   * @param token a new one
   * @throws StorageException if it may not have been stored
   */
  void begin(String token, Val session) {
    String key = keyOf(token);
    try {
      long asOf = System.nanoTime();
      byte[] marked = readMark().bytes();
      byte[] bytes = StoredSession.bytes(marked, session);
      Optional<ObjectVersion> written = write(key, Optional.empty(), bytes, 1);
      if (written.isEmpty()) {
        throw new IOException("not written");
      }
      remember(key, new StoredSession(session, marked, written.get(), asOf));
    } catch (IOException e) {
      throw new StorageException("web session " + key + " cannot be stored; log in again", e);
    }
  }

  /**
   * Extends a session. It is left as it is if another request extends it at the same time, or the
   * write fails; it is then extended by a later request.
   *
   * @param token its token
   * @param before the session as it was found by the same request
   * @param session what it becomes
   */
  void extend(String token, StoredSession before, Val session) {
    String key = keyOf(token);
    try {
      long asOf = System.nanoTime();
      byte[] bytes = StoredSession.bytes(before.mark(), session);
      Optional<ObjectVersion> written = write(key, Optional.of(before.version()), bytes, ATTEMPTS);
      if (written.isPresent()) {
        remember(key, new StoredSession(session, before.mark(), written.get(), asOf));
      } else {
        read(key);
      }
    } catch (IOException e) {
      LOG.atWarning().withCause(e).log("Web session %s was not extended", key);
    }
  }

  private static String keyOf(String token) {
    return SessionToken.key(token)
        .orElseThrow(() -> new StorageException("this Gerrit makes tokens of another form"));
  }

  /** Writes an object; returns its version, or nothing if it was changed before. */
  private Optional<ObjectVersion> write(
      String key, Optional<ObjectVersion> before, byte[] bytes, int attempts) throws IOException {
    PutOutcome outcome = new Register(store(), key).replace(before, bytes, attempts);
    if (outcome instanceof PutOutcome.Unknown) {
      throw new IOException("the store does not tell whether " + key + " was written");
    }
    return outcome instanceof PutOutcome.Won won ? Optional.of(won.version()) : Optional.empty();
  }

  /**
   * Ends a session, even one that this Gerrit cannot parse. Does nothing if there is none.
   *
   * @param token value of a cookie, which may be invented
   * @param client address of the client
   * @throws StorageException if the store does not answer; the session may go on
   */
  void end(String token, String client) {
    Optional<String> key = SessionToken.key(token).filter(its -> !isOver(its));
    if (key.isEmpty()) {
      return;
    }
    if (known.getIfPresent(key.get()) == null && misses(client).areTooMany()) {
      throw new StorageException("too many logouts of sessions that are not known; repeat it");
    }
    try {
      delete(List.of(key.get()));
    } catch (IOException e) {
      throw new StorageException("web session " + key.get() + " cannot be ended", e);
    }
  }

  private void delete(List<String> keys) throws IOException {
    store().delete(keys);
    keys.forEach(this::ended);
  }

  /**
   * Ends the sessions of an account that have begun before: here at once, elsewhere after {@link
   * #REMEMBERED} at the latest.
   *
   * @throws IOException if the store does not answer; some may have ended
   */
  void endAll(Account.Id account) throws IOException {
    List<String> keys = new ArrayList<>();
    store().list(SessionToken.sessionsOf(account), object -> keys.add(object.key()));
    if (!keys.isEmpty()) {
      delete(keys);
    }
  }

  /**
   * Ends all sessions that have begun before: here at once, elsewhere after {@link #REMEMBERED} at
   * the latest.
   *
   * @throws StorageException if the store does not answer; they may have ended
   */
  void endAll() {
    try {
      Mark before = readMark();
      byte[] next = UUID.randomUUID().toString().getBytes(UTF_8);
      // If refused, the mark was changed since by another node.
      write(MARK, before.version(), next, ATTEMPTS);
      readMark();
    } catch (IOException e) {
      throw new StorageException("web sessions may not have ended; repeat it", e);
    }
  }
}

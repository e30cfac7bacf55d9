// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import com.google.common.cache.AbstractCache;
import com.google.gerrit.common.Nullable;
import com.google.gerrit.httpd.WebSessionManager.Val;
import java.util.Optional;

/**
 * The stored sessions as one request of Gerrit sees them. What the request puts under the token
 * that it came with extends the session that it has found; under another token a session begins.
 */
final class SessionOfRequest extends AbstractCache<String, Val> {
  private final StoredSessions sessions;
  private final String client;
  private String token = "";
  @Nullable private StoredSession found;

  SessionOfRequest(StoredSessions sessions, String client) {
    this.sessions = sessions;
    this.client = client;
  }

  @Override
  @Nullable
  public Val getIfPresent(Object cookie) {
    Optional<StoredSession> session = sessions.find((String) cookie, client);
    token = (String) cookie;
    found = session.orElse(null);
    return session.map(StoredSession::val).orElse(null);
  }

  @Override
  public void put(String cookie, Val session) {
    if (!cookie.equals(token)) {
      sessions.begin(cookie, session);
    } else if (found != null) {
      sessions.extend(cookie, found, session);
    }
  }

  @Override
  public void invalidate(Object cookie) {
    sessions.end((String) cookie, client);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import com.google.gerrit.server.config.CacheResource;
import com.google.gerrit.server.restapi.config.FlushCache;
import com.google.inject.AbstractModule;
import com.google.inject.Provider;
import com.google.inject.matcher.Matchers;
import org.aopalliance.intercept.MethodInterceptor;

/**
 * Has a flush of the cache {@code web_sessions} end all web sessions in the store. Gerrit itself
 * flushes a cache that no session is in. REST and SSH both end in the intercepted class, which
 * checks permissions. {@code FLUSH_ALL} leaves out this cache, as in any Gerrit.
 */
public final class SessionFlush extends AbstractModule {
  @Override
  protected void configure() {
    Provider<StoredSessions> sessions = getProvider(StoredSessions.class);
    MethodInterceptor ends =
        flush -> {
          Object done = flush.proceed();
          CacheResource cache = (CacheResource) flush.getArguments()[0];
          if (cache.getName().equals(FlushCache.WEB_SESSIONS)) {
            sessions.get().endAll();
          }
          return done;
        };
    bindInterceptor(
        Matchers.only(FlushCache.class),
        method -> method.getName().equals("apply") && !method.isBridge(),
        ends);
  }
}

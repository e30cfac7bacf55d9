// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.events.ChangeIndexedListener;
import com.google.inject.Singleton;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Changes to be looked at again because this Gerrit indexed them after they had been followed.
 *
 * <p>A request may read a change, and write its document when that of a later state is already in
 * the index: another node has changed it, and the follower was quicker. So each change that was
 * followed lately and is then indexed by a request is followed once more. Safe for use by many
 * threads.
 */
@Singleton
class IndexedHere implements ChangeIndexedListener {
  /** Longest time that a request can take to index what it has read. */
  private static final Duration LATELY = Duration.ofMinutes(10);

  private final Cache<Change.Id, Thread> followed =
      CacheBuilder.newBuilder().expireAfterWrite(LATELY).build();

  private Map<Change.Id, Project.NameKey> again = new LinkedHashMap<>(); // guarded by this

  /** Notes, before its document is compared, that the calling thread follows a change. */
  void follows(Change.Id id) {
    followed.put(id, Thread.currentThread());
  }

  /** Returns the changes to be followed again, once. */
  synchronized Map<Change.Id, Project.NameKey> takeAgain() {
    Map<Change.Id, Project.NameKey> taken = again;
    again = new LinkedHashMap<>();
    return taken;
  }

  @Override
  public void onChangeIndexed(String project, int number) {
    Change.Id id = Change.id(number);
    Thread follower = followed.getIfPresent(id);
    if (follower != null && follower != Thread.currentThread()) {
      synchronized (this) {
        again.put(id, Project.nameKey(project));
      }
    }
  }

  @Override
  public void onChangeDeleted(int id) {
    // The change is gone for good: no later document can be in its place.
  }
}

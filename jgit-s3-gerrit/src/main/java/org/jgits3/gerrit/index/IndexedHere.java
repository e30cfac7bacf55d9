// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.events.AccountIndexedListener;
import com.google.gerrit.extensions.events.ChangeIndexedListener;
import com.google.gerrit.extensions.events.GroupIndexedListener;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Documents to be followed again, because this Gerrit wrote them after they had been followed.
 *
 * <p>A request may read a change and write its document late, when the index already has the
 * document of a newer state: another node has changed it in between, and the follower was faster.
 * Therefore each document that was followed recently, and that a request then writes, is followed
 * once more. Safe for use by many threads.
 */
@Singleton
public class IndexedHere
    implements ChangeIndexedListener, AccountIndexedListener, GroupIndexedListener {
  /** Longest time that a request can take to index what it has read. */
  private static final Duration LATELY = Duration.ofMinutes(10);

  /** Thread that followed a document, and project that had the document then. */
  private record Followed(Thread thread, Project.NameKey project) {}

  private final Cache<Effect, Followed> followed =
      CacheBuilder.newBuilder().expireAfterWrite(LATELY).build();

  private Map<Effect, Project.NameKey> again = new LinkedHashMap<>(); // guarded by this

  @Inject
  public IndexedHere() {}

  /** Notes that the calling thread follows a document. Called before it compares the document. */
  void follows(Effect document, Project.NameKey project) {
    followed.put(document, new Followed(Thread.currentThread(), project));
  }

  /** Returns the documents to be followed again, once. */
  public synchronized Map<Effect, Project.NameKey> takeAgain() {
    Map<Effect, Project.NameKey> taken = again;
    again = new LinkedHashMap<>();
    return taken;
  }

  /** Tests whether no document is to be followed again. */
  public synchronized boolean isEmpty() {
    return again.isEmpty();
  }

  /** Notes that a document is to be followed again. */
  public synchronized void again(Effect document, Project.NameKey project) {
    again.put(document, project);
  }

  /** The request may have read the document in a project that has another name by now. */
  private void indexed(Effect document) {
    Followed last = followed.getIfPresent(document);
    if (last != null && last.thread != Thread.currentThread()) {
      again(document, last.project);
    }
  }

  @Override
  public void onChangeIndexed(String project, int id) {
    indexed(new Effect.OfChange(Change.id(id)));
  }

  @Override
  public void onAccountIndexed(int id) {
    indexed(new Effect.OfAccount(Account.id(id)));
  }

  @Override
  public void onGroupIndexed(String uuid) {
    indexed(Effect.OfGroup.of(AccountGroup.uuid(uuid)));
  }

  @Override
  public void onChangeDeleted(int id) {
    // The change is gone for good: no later document can be in its place.
  }
}

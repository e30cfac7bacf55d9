// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.events.AccountIndexedListener;
import com.google.gerrit.extensions.events.ChangeIndexedListener;
import com.google.gerrit.extensions.events.GroupIndexedListener;
import com.google.gerrit.server.config.AllUsersName;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Documents to be followed again, because this Gerrit wrote them after they had been followed.
 *
 * <p>A request may read a change and write its document late, when the index already has the
 * document of a newer state: another node has changed it in between, and the follower was faster.
 * Therefore each document that was followed recently, and that a request then writes, is followed
 * once more.
 *
 * <p>At most {@link #MOST} documents are remembered, as a comparison of all projects follows every
 * document. Once one was forgotten early, each document that a request writes is followed once
 * more, as long as it may be the forgotten one: that takes time, where the opposite would leave a
 * document of an old state until it changes again.
 *
 * <p>Safe for use by many threads.
 */
@Singleton
public class IndexedHere
    implements ChangeIndexedListener, AccountIndexedListener, GroupIndexedListener {
  /** Longest time that a request can take to index what it has read. */
  private static final Duration LATELY = Duration.ofMinutes(10);

  /** Maximum number of documents that are remembered; they take some 15 MB. */
  static final int MOST = 100_000;

  /**
   * Thread that followed a document, project that had the document then, and when: a reading of the
   * clock.
   */
  private record Followed(Thread thread, Project.NameKey project, long at) {}

  private final Project.NameKey allUsers;
  private final LongSupplier nanoTime;

  // All guarded by this:

  /** Documents that were followed, the oldest first. */
  private final Map<Effect, Followed> followed = new LinkedHashMap<>();

  /** Reading of the clock when a document was followed that was forgotten early. */
  private Optional<Long> forgotten = Optional.empty();

  private Map<Effect, Project.NameKey> again = new LinkedHashMap<>();

  @Inject
  public IndexedHere(AllUsersName allUsers) {
    this(allUsers, System::nanoTime);
  }

  IndexedHere(AllUsersName allUsers, LongSupplier nanoTime) {
    this.allUsers = allUsers;
    this.nanoTime = nanoTime;
  }

  /** Notes that the calling thread follows a document. Called before it compares the document. */
  synchronized void follows(Effect document, Project.NameKey project) {
    followed.remove(document); // the newest is the last
    followed.put(document, new Followed(Thread.currentThread(), project, nanoTime.getAsLong()));
    Iterator<Followed> oldest = followed.values().iterator();
    for (Followed next = oldest.next(); !isRecent(next.at); next = oldest.next()) {
      oldest.remove();
    }
    if (followed.size() > MOST) {
      Iterator<Followed> all = followed.values().iterator();
      forgotten = Optional.of(all.next().at);
      all.remove();
    }
  }

  private boolean isRecent(long at) {
    return nanoTime.getAsLong() - at < LATELY.toNanos();
  }

  /** Number of documents that are remembered. */
  synchronized int remembered() {
    return followed.size();
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

  /**
   * Notes that the calling thread has written a document. The request may have read it in a project
   * that has another name by now.
   */
  private synchronized void indexed(Effect document, Project.NameKey project) {
    Followed last = followed.get(document);
    if (last == null) {
      if (forgotten.filter(this::isRecent).isPresent()) {
        again(document, project);
      }
    } else if (last.thread != Thread.currentThread() && isRecent(last.at)) {
      again(document, last.project);
    }
  }

  @Override
  public void onChangeIndexed(String project, int id) {
    indexed(new Effect.OfChange(Change.id(id)), Project.nameKey(project));
  }

  @Override
  public void onAccountIndexed(int id) {
    indexed(new Effect.OfAccount(Account.id(id)), allUsers);
  }

  @Override
  public void onGroupIndexed(String uuid) {
    indexed(Effect.OfGroup.of(AccountGroup.uuid(uuid)), allUsers);
  }

  @Override
  public void onChangeDeleted(int id) {
    // The change is gone for good: no later document can be in its place.
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.commit.UnlistedPack;
import org.jgits3.internal.commit.UnlistedPack.State;
import org.jgits3.internal.pack.DeferredPacks.DeferredPack;
import org.jgits3.manifest.ManifestException;

/**
 * Packs that the handles of one request received or inserted, and that no other handle sees. They
 * are listed together: by the next write of the manifest through one of these handles, or when
 * another handle needs an object of one of them. A listed object therefore never depends on a pack
 * that may be forgotten. A write that changes nothing, such as that of a refused push, lists
 * nothing.
 *
 * <p>If a request does not know whether one of its packs was listed, or has forgotten the pack, it
 * commits only on a manifest that lists the pack, because its refs may lead into it.
 *
 * <p>Safe for use by many threads.
 */
final class Quarantine {
  private static final Set<State> NEVER_LISTED = Set.of(State.IN_DOUBT, State.FORGOTTEN);

  /**
   * Maximum number of inserted packs that wait. The next one is listed at once, with all of them,
   * while a manifest has room.
   */
  private static final int MOST_INSERTED = 50;

  private final DeferredPacks deferred;

  /** Packs of the request, without some of those that were listed. */
  private final List<DeferredPack> packs = new CopyOnWriteArrayList<>();

  private final AtomicLong changes = new AtomicLong();

  private int inserters; // those with unflushed objects; guarded by this

  private int handles = 1; // open ones; guarded by this

  /** True once anything other than the push itself may rely on the received packs. */
  private boolean shared; // guarded by this

  /** True while packs are listed that may refer to unflushed objects. */
  private boolean exposed; // guarded by this

  /**
   * Creates a quarantine without packs.
   *
   * @param deferred packs that wait in this process
   */
  Quarantine(DeferredPacks deferred) {
    this.deferred = deferred;
  }

  /**
   * Adds a handle of the same request, which may rely on all packs.
   *
   * @return false if it must have a quarantine of its own
   */
  synchronized boolean join() {
    if (handles == 0 || isLost()) {
      return false;
    }
    handles++;
    share();
    return true;
  }

  /** Notes that an inserter begins to insert. It leaves out objects that the packs have. */
  synchronized void begin() {
    share();
    inserters++;
  }

  private void share() {
    removeListed();
    shared |= !packs.isEmpty();
  }

  /** Notes that an inserter has no unflushed objects left. */
  synchronized void end() {
    inserters--;
    exposed &= inserters > 0;
  }

  /**
   * Takes packs whose files are all in the store.
   *
   * @param writer handle that has written them
   * @param added the packs
   * @return false if they must not wait
   */
  synchronized boolean add(S3ObjDatabase writer, List<DeferredPack> added) {
    if (exposed || writer.isClosed() || inserted() >= MOST_INSERTED) {
      return false;
    }
    shared |= handles > 1 || inserters > 0;
    added.forEach(deferred::add); // first: a visible pack must be among the waiting ones
    packs.addAll(added);
    changes.incrementAndGet();
    return true;
  }

  private long inserted() {
    return visible().stream().filter(pack -> !pack.wasReceived()).count();
  }

  /** Number of times that {@link #visible} has changed. */
  long version() {
    return changes.get();
  }

  /** Packs that the handles see beside those that the manifest lists, or has listed. */
  List<DeferredPack> visible() {
    return packs.stream()
        .filter(pack -> !Set.of(State.FORGOTTEN, State.LISTED).contains(pack.state()))
        .toList();
  }

  private boolean isLost() {
    return packs.stream().map(UnlistedPack::state).anyMatch(NEVER_LISTED::contains);
  }

  /** Tests whether a pack that waits here has an object. */
  boolean hasObject(ObjectId id, DfsReader reader) throws IOException {
    for (DeferredPack pack : visible()) {
      if (pack.has(id, reader)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the packs for a change that is about to be committed, because it may refer to them.
   * None of them depends on a later one.
   *
   * @param listsOthers true if the change itself lists packs
   */
  synchronized List<UnlistedPack> listedWith(boolean listsOthers) {
    removeListed();
    exposed |= inserters > 0 && (listsOthers || !packs.isEmpty());
    return List.copyOf(packs);
  }

  private void removeListed() {
    List<DeferredPack> listed =
        packs.stream().filter(pack -> pack.state() == State.LISTED).toList();
    packs.removeAll(listed);
    listed.forEach(deferred::remove);
  }

  /**
   * Lists all packs without setting a ref.
   *
   * @return false if one can no longer be listed
   * @throws IOException if they were not listed, or the outcome is unknown
   */
  boolean publish() throws IOException {
    List<UnlistedPack> hidden = listedWith(false);
    if (isLost()) {
      return false;
    }
    if (!hidden.isEmpty()) {
      try {
        deferred.list(hidden);
      } catch (ManifestException.Stalled | UnlistedPack.LostException e) {
        return false; // the request took too long and will be refused; others must not fail for it
      } catch (ManifestException.NotCommitted e) {
        if (!isLost()) {
          throw e;
        }
      }
    }
    removeListed();
    return !isLost();
  }

  /**
   * Ends the writing of a handle. Forgets what the handle received, if no other handle could see
   * it, once an update through the handle that is under way is decided. Publishes everything else,
   * because an inserter promises that others will see its objects.
   *
   * @param writer the handle, which is closed
   * @return packs that were forgotten
   * @throws IOException if packs could not be published; those that another handle needs will be
   */
  List<DeferredPack> leave(S3ObjDatabase writer) throws IOException {
    List<DeferredPack> its;
    boolean alone;
    synchronized (this) {
      handles--;
      removeListed();
      its = packs.stream().filter(pack -> pack.writer() == writer).toList();
      alone = !shared && its.stream().allMatch(DeferredPack::wasReceived);
    }
    if (its.isEmpty()) {
      return List.of();
    }
    if (alone) {
      return forget(its);
    }
    if (!publish()) {
      throw new IOException("their names are too old, or the outcome of a write is unknown");
    }
    return List.of();
  }

  /** Forgets packs, but for those that a change lists, or may list. */
  private List<DeferredPack> forget(List<DeferredPack> its) {
    List<DeferredPack> forgotten = new ArrayList<>();
    List<DeferredPack> hidden = its;
    while (!hidden.isEmpty()) { // another handle may try to publish them meanwhile
      hidden.forEach(UnlistedPack::awaitDecisions); // without a lock that these may need
      hidden.stream().filter(UnlistedPack::forget).forEach(forgotten::add);
      hidden = hidden.stream().filter(pack -> pack.state() == State.HIDDEN).toList();
    }
    forgotten.forEach(deferred::remove);
    changes.incrementAndGet();
    return forgotten;
  }
}

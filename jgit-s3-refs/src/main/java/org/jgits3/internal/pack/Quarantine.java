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
import org.jgits3.internal.commit.Committer;
import org.jgits3.internal.commit.ManifestChange;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.pack.DeferredPack.State;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.UnknownOutcomeException;

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
final class Quarantine implements Committer {
  private static final Set<State> NEVER_LISTED = Set.of(State.IN_DOUBT, State.FORGOTTEN);

  /**
   * Maximum number of inserted packs that wait. The next one is listed at once, with all of them,
   * while a manifest has room.
   */
  private static final int MOST_INSERTED = 50;

  private final DeferredPacks deferred;

  /** Packs of the request that are not known to be published. */
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
    shared |= !packs.isEmpty();
    return true;
  }

  /** Notes that an inserter begins to insert. It leaves out objects that the packs have. */
  synchronized void begin() {
    shared |= !packs.isEmpty();
    inserters++;
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
    return packs.stream().filter(pack -> !pack.wasReceived()).count();
  }

  boolean has(S3PackDescription pack) {
    return packs.stream().anyMatch(waiting -> waiting.description().equals(pack));
  }

  /** Number of times that {@link #visible} has changed. */
  long version() {
    return changes.get();
  }

  /** Packs that the handles see beside those that the manifest lists, or has listed. */
  List<DeferredPack> visible() {
    return packs.stream()
        .filter(p -> !Set.of(State.FORGOTTEN, State.PUBLISHED).contains(deferred.state(p)))
        .toList();
  }

  private boolean isLost() {
    return packs.stream().map(deferred::state).anyMatch(NEVER_LISTED::contains);
  }

  private boolean isPublished(DeferredPack pack) {
    return deferred.state(pack) == State.PUBLISHED;
  }

  /** Tests whether a pack that waits here has an object. */
  boolean hasObject(ObjectId id, DfsReader reader) throws IOException {
    for (DeferredPack pack : packs) {
      if (pack.has(id, reader)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the packs that are about to be listed. None of them depends on a later one. */
  private synchronized List<DeferredPack> present(boolean listsOthers) {
    exposed |= inserters > 0 && (listsOthers || !packs.isEmpty());
    return List.copyOf(packs);
  }

  /** Thrown if a change may rely on a pack that may never be listed. */
  private static final class MayBeLostException extends IOException {
    private static final long serialVersionUID = 1;

    MayBeLostException(String id) {
      super("pack " + id + ", received before, may not have been published; fetch and push again");
    }
  }

  /**
   * Lists all packs without setting a ref.
   *
   * @return false if one can no longer be listed
   * @throws IOException if they were not listed, or the outcome is unknown
   */
  boolean publish() throws IOException {
    List<DeferredPack> present = present(false);
    if (isLost()) {
      return false;
    }
    if (!present.isEmpty()) {
      try {
        this.<Boolean>commit(deferred.publisher(), base -> Proposal.edit(base, true), present);
      } catch (ManifestException.Stalled | MayBeLostException e) {
        return false; // the request took too long and will be refused; others must not fail for it
      }
    }
    return !isLost();
  }

  /**
   * Ends the writing of a handle. Forgets what the handle received, if no other handle could see
   * it. Publishes everything else, because an inserter promises that others will see its objects.
   *
   * @param writer the handle, which is closed
   * @return packs that were forgotten
   * @throws IOException if packs could not be published; those that another handle needs will be
   */
  List<DeferredPack> leave(S3ObjDatabase writer) throws IOException {
    synchronized (this) {
      handles--;
      List<DeferredPack> its = packs.stream().filter(pack -> pack.writer() == writer).toList();
      if (its.isEmpty()) {
        return List.of();
      }
      if (!shared && its.stream().allMatch(DeferredPack::wasReceived)) {
        List<DeferredPack> forgotten = its.stream().filter(deferred::forget).toList();
        changes.incrementAndGet();
        return forgotten;
      }
    }
    if (!publish()) {
      throw new IOException("their names are too old, or the outcome of a write is unknown");
    }
    return List.of();
  }

  /**
   * Wraps a committer so that the waiting packs are committed with each change, because packs of
   * the change may refer to them.
   *
   * @param through commits the changes
   */
  Committer with(Committer through) {
    return new Committer() {
      @Override
      public <R> R commit(ManifestChange<R> change) throws IOException {
        return Quarantine.this.commit(through, change, present(true));
      }
    };
  }

  @Override
  public <R> R commit(ManifestChange<R> change) throws IOException {
    return commit(deferred.committer(), change, present(false));
  }

  /** A verdict, and whether packs are listed together with its change. */
  private record Accompanied<R>(R verdict, boolean listed) {}

  private <R> R commit(Committer through, ManifestChange<R> change, List<DeferredPack> present)
      throws IOException {
    if (present.isEmpty()) {
      return through.commit(change);
    }
    List<DeferredPack> claimed = new ArrayList<>(present.size()); // so that add cannot fail
    State outcome = State.IN_DOUBT;
    try {
      for (DeferredPack pack : present) {
        if (deferred.claim(pack)) {
          claimed.add(pack);
        }
      }
      Accompanied<R> answer =
          through.commit(base -> accompany(base, change.propose(base), present, claimed));
      outcome = answer.listed() ? State.PUBLISHED : State.HIDDEN;
      return answer.verdict();
    } catch (UnknownOutcomeException e) {
      throw e;
    } catch (IOException e) {
      outcome = State.HIDDEN;
      throw e;
    } finally {
      deferred.settle(claimed, outcome);
      deferred.observeNewest(); // it may have arrived while the claimed packs were undecided
      packs.removeAll(packs.stream().filter(this::isPublished).toList());
      changes.incrementAndGet();
    }
  }

  private <R> Proposal<Accompanied<R>> accompany(
      Manifest base, Proposal<R> proposal, List<DeferredPack> present, List<DeferredPack> claimed)
      throws IOException {
    if (!(proposal instanceof Proposal.Edit<R> edit)
        || (claimed.isEmpty() && edit.next().equals(base))) {
      return Proposal.noEdit(new Accompanied<>(proposal.verdict(), false));
    }
    for (DeferredPack pack : present) {
      if (!claimed.contains(pack)) {
        checkListed(pack, edit.next());
      }
    }
    return Proposal.edit(
        DeferredPacks.listing(edit.next(), claimed), new Accompanied<>(edit.verdict(), true));
  }

  /** Checks that a pack that was not claimed is published, or listed by the manifest. */
  private void checkListed(DeferredPack pack, Manifest manifest) throws IOException {
    String id = pack.entry().id();
    boolean safe =
        isPublished(pack) || manifest.packs().stream().map(PackEntry::id).anyMatch(id::equals);
    if (!safe) {
      throw new MayBeLostException(id);
    }
  }
}

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
 * Packs that the handles of one request received or inserted and no other handle sees. They are
 * listed together: by the next write of the manifest through one of these handles, or when another
 * handle needs an object of one of them. So no listed object depends on a pack that may be
 * forgotten, whatever refers to what. A write that changes nothing, such as that of a refused push,
 * lists nothing.
 *
 * <p>A request that cannot know whether one of its packs is listed, or has forgotten it, commits
 * nothing unless the manifest lists the pack, because its refs might lead into it.
 *
 * <p>Safe for use by many threads.
 */
final class Quarantine implements Committer {
  private static final Set<State> NEVER_LISTED = Set.of(State.IN_DOUBT, State.FORGOTTEN);

  /** Most inserted packs that wait. The next is listed with all, while a manifest has room. */
  private static final int MOST_INSERTED = 50;

  private final DeferredPacks deferred;

  /** Packs of the request that were not published, as far as it knows. */
  private final List<DeferredPack> packs = new CopyOnWriteArrayList<>();

  private final AtomicLong changes = new AtomicLong();

  private int inserters; // those with objects that are not in a pack yet; guarded by this

  private int handles = 1; // open ones; guarded by this

  /** True once something beside the push itself may rely on what was received. */
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
   * Takes another handle, which may rely on all packs.
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

  /** Notes that an inserter is about to have objects. It leaves out what the packs have. */
  synchronized void begin() {
    shared |= !packs.isEmpty();
    inserters++;
  }

  /** Notes that an inserter has no more objects that are not in a pack. */
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
    added.forEach(deferred::add); // first: what a handle of the request sees waits
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

  /** Tests whether a pack that waits here has an object. */
  boolean hasObject(ObjectId id, DfsReader reader) throws IOException {
    for (DeferredPack pack : packs) {
      if (pack.has(id, reader)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the packs that are about to be listed. A later one is nothing that these rest on. */
  private synchronized List<DeferredPack> present(boolean listsOthers) {
    exposed |= inserters > 0 && (listsOthers || !packs.isEmpty());
    return List.copyOf(packs);
  }

  /** Thrown if a pack that a change may rely on may never be listed. */
  private static final class MayBeLostException extends IOException {
    private static final long serialVersionUID = 1;

    MayBeLostException(String id) {
      super("pack " + id + ", received before, may not have been published; fetch and push again");
    }
  }

  /**
   * Lists all packs though no ref is set.
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
   * Ends the writing of a handle. What it received is forgotten if no other handle could see it.
   * Everything else is published: an inserter has promised that others see it.
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
   * Commits changes of packs, and with them the packs that wait: the others may refer to them.
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
    List<DeferredPack> claimed = new ArrayList<>(present.size()); // one that is claimed must fit
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
      deferred.observeNewest(); // it may have been seen while this was undecided
      packs.removeIf(p -> deferred.state(p) == State.PUBLISHED);
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

  /** Checks that no pack in doubt or forgotten is relied on, unless it is listed. */
  private void checkListed(DeferredPack pack, Manifest manifest) throws IOException {
    String id = pack.entry().id();
    boolean safe =
        deferred.state(pack) == State.PUBLISHED
            || manifest.packs().stream().map(PackEntry::id).anyMatch(id::equals);
    if (!safe) {
      throw new MayBeLostException(id);
    }
  }
}

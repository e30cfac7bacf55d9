// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.manifest.Change;
import org.jgits3.manifest.Committer;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.Proposal;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.pack.DeferredPack.State;

/**
 * Packs that one handle received and nobody else sees. The next commit of the handle that changes
 * the manifest lists them, in the same write; one that changes nothing, such as a refused push,
 * does not.
 *
 * <p>A handle that cannot know whether one of its packs is listed, or has forgotten it, commits
 * nothing any more unless the manifest lists the pack: its refs might lead into it.
 *
 * <p>Safe for use by many threads.
 */
final class Quarantine implements Committer {
  private final DeferredPacks deferred;

  /** Packs of the handle that were not published, as far as it knows. */
  private final List<DeferredPack> packs = new CopyOnWriteArrayList<>();

  private final AtomicLong changes = new AtomicLong();

  Quarantine(DeferredPacks deferred) {
    this.deferred = deferred;
  }

  /** Takes a pack whose files are all in the store. */
  void add(DeferredPack pack) {
    packs.add(pack);
    changes.incrementAndGet();
    deferred.add(pack);
  }

  boolean holds(DeferredPack pack) {
    return packs.contains(pack);
  }

  /** How often {@link #visible} has changed because of this handle. */
  long version() {
    return changes.get();
  }

  /** Packs that the handle sees beside those that the manifest lists, or has listed. */
  List<DeferredPack> visible() {
    return packs.stream()
        .filter(p -> !Set.of(State.FORGOTTEN, State.PUBLISHED).contains(deferred.state(p)))
        .toList();
  }

  /** A verdict, and whether packs are listed together with what it is about. */
  private record Accompanied<R>(R verdict, boolean listed) {}

  @Override
  public <R> R commit(Change<R> change) throws IOException {
    if (packs.isEmpty()) {
      return deferred.committer().commit(change);
    }
    List<DeferredPack> present = List.copyOf(packs); // a later one is nothing the change rests on
    List<DeferredPack> claimed = new ArrayList<>();
    State outcome = State.IN_DOUBT;
    try {
      for (DeferredPack pack : present) {
        if (deferred.claim(pack)) {
          claimed.add(pack);
        }
      }
      Accompanied<R> answer =
          deferred.committer().commit(base -> accompany(change.propose(base), present, claimed));
      outcome = answer.listed() ? State.PUBLISHED : State.HIDDEN;
      return answer.verdict();
    } catch (UnknownOutcomeException e) {
      throw e;
    } catch (IOException e) {
      outcome = State.HIDDEN;
      throw e;
    } finally {
      deferred.settle(claimed, outcome);
      packs.removeIf(p -> deferred.state(p) == State.PUBLISHED);
      changes.incrementAndGet();
    }
  }

  private <R> Proposal<Accompanied<R>> accompany(
      Proposal<R> proposal, List<DeferredPack> present, List<DeferredPack> claimed)
      throws IOException {
    if (!(proposal instanceof Proposal.Edit<R> edit)) {
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

  /** A pack that is in doubt or forgotten may not be relied on unless it is there. */
  private void checkListed(DeferredPack pack, Manifest manifest) throws IOException {
    String id = pack.entry().id();
    boolean safe =
        deferred.state(pack) == State.PUBLISHED
            || manifest.packs().stream().map(PackEntry::id).anyMatch(id::equals);
    if (!safe) {
      throw new IOException(
          "pack " + id + ", received before, may not have been published; fetch and push again");
    }
  }

  /**
   * Forgets a pack that is rolled back, if it was taken already.
   *
   * @param pack the pack
   * @return whether no manifest will ever list it because of this handle
   */
  boolean release(S3PackDescription pack) {
    Optional<DeferredPack> taken =
        packs.stream().filter(p -> p.description().equals(pack)).findFirst();
    boolean free = taken.isEmpty() || deferred.forget(taken.get());
    changes.incrementAndGet();
    return free;
  }

  /**
   * Forgets all packs that were not published.
   *
   * @return those that no manifest will ever list
   */
  List<DeferredPack> forget() {
    List<DeferredPack> forgotten = packs.stream().filter(deferred::forget).toList();
    if (!forgotten.isEmpty()) {
      changes.incrementAndGet();
    }
    return forgotten;
  }
}

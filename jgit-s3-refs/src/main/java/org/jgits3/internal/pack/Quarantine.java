// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.commit.Committer;
import org.jgits3.internal.commit.ManifestChange;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.concurrent.FirstFailure;
import org.jgits3.internal.pack.DeferredPack.State;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.UnknownOutcomeException;

/**
 * Packs that one handle received or wrote and no other handle sees. The next commit of the handle
 * that makes a ref lead into them lists them in the same write. So does a commit that lists another
 * pack whose objects refer to theirs: no listed object depends on a pack that may be forgotten.
 * Other commits do not list them: those that change nothing, such as a refused push, and unrelated
 * ones, such as that of a hook that counts pushes.
 *
 * <p>A handle that cannot know whether one of its packs is listed, or has forgotten it, commits
 * nothing unless the manifest lists the pack, because its refs might lead into it.
 *
 * <p>Safe for use by many threads.
 */
final class Quarantine implements Committer {
  private final DeferredPacks deferred;
  private final S3ObjDatabase objects;

  /** Packs of the handle that were not published, as far as it knows. */
  private final List<DeferredPack> packs = new CopyOnWriteArrayList<>();

  /** Those of them that a pack refers to which is about to be listed. */
  private final Set<DeferredPack> needed = ConcurrentHashMap.newKeySet();

  private final AtomicLong changes = new AtomicLong();

  /**
   * Creates a quarantine without packs.
   *
   * @param deferred packs that wait in this process
   * @param objects objects that the handle sees
   */
  Quarantine(DeferredPacks deferred, S3ObjDatabase objects) {
    this.deferred = deferred;
    this.objects = objects;
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

  /**
   * Tests whether any pack is hidden in this process, so that {@link #refersTo} has to be called.
   */
  boolean anyHidden() {
    return !packs.isEmpty() || deferred.othersWait(this);
  }

  /**
   * Makes sure that objects are listed before an object that refers to them, or together with it:
   * all writers may rely on a listed object, and a hidden pack may be forgotten.
   *
   * @param ids objects that another one refers to, which is about to be written
   * @throws IOException if another handle has received one and it cannot be published
   */
  void refersTo(List<ObjectId> ids) throws IOException {
    try (DfsReader reader = objects.newReader()) {
      for (ObjectId id : ids) {
        List<DeferredPack> own =
            packs.stream()
                .filter(pack -> !needed.contains(pack) && DeferredPacks.has(pack, id, reader))
                .toList();
        boolean hidden = !own.isEmpty() || deferred.othersHave(id, reader, this);
        if (hidden && !objects.isListed(id)) {
          needed.addAll(own);
          deferred.publishAllWith(id, reader, this);
        }
      }
    }
  }

  /**
   * Commits packs of the handle that do not wait, and with them the hidden ones that their objects
   * refer to.
   *
   * @param through commits changes of packs
   * @param unread whether the references of the objects are unknown
   */
  Committer ofPacks(Committer through, boolean unread) {
    return new Committer() {
      @Override
      public <R> R commit(ManifestChange<R> change) throws IOException {
        boolean leads = unread || packs.stream().anyMatch(needed::contains);
        return leads
            ? Quarantine.this.commit(through, change, Apart.NOTHING, true)
            : through.commit(change);
      }
    };
  }

  /** Tests whether a pack that is about to be listed refers to one of this handle that waits. */
  boolean isNeeded() {
    return packs.stream().anyMatch(needed::contains);
  }

  /**
   * Has the packs that wait published when the handle is closed, if no ref update does it before.
   */
  void keep() {
    packs.forEach(DeferredPack::keep);
  }

  /**
   * Publishes the packs that still wait and are not to be forgotten.
   *
   * @throws IOException if one cannot be published; the others are
   */
  void publishKept() throws IOException {
    FirstFailure failure = new FirstFailure();
    for (DeferredPack pack : packs) {
      if (pack.isKept()) {
        try {
          deferred.publish(pack);
        } catch (IOException e) {
          failure.add(e);
        }
      }
    }
    failure.orReturn();
  }

  /** Number of times that this handle has changed {@link #visible}. */
  long version() {
    return changes.get();
  }

  /** Packs that the handle sees beside those that the manifest lists, or has listed. */
  List<DeferredPack> visible() {
    return packs.stream()
        .filter(p -> !Set.of(State.FORGOTTEN, State.PUBLISHED).contains(deferred.state(p)))
        .toList();
  }

  /** A verdict, and whether packs are listed together with its change. */
  private record Accompanied<R>(R verdict, boolean listed) {}

  /**
   * Thrown by a change that needs to know more of new values of refs, which cannot be read during a
   * commit.
   */
  private static final class UnknownValues extends IOException {
    private static final long serialVersionUID = 1;

    private final transient Set<ObjectId> values;

    UnknownValues(Set<ObjectId> values) {
      super("refs may lead into packs that are not listed");
      this.values = values;
    }
  }

  @Override
  public <R> R commit(ManifestChange<R> change) throws IOException {
    Apart apart = Apart.NOTHING;
    boolean leads = false;
    while (!packs.isEmpty()) {
      try {
        return commit(deferred.committer(), change, apart, leads);
      } catch (UnknownValues e) {
        long generation =
            deferred.committer().cached().map(v -> v.manifest().generation()).orElse(0L);
        leads = !objects.isComplete(e.values);
        apart = new Apart(e.values, generation);
      }
    }
    return deferred.committer().commit(change);
  }

  /**
   * Objects that lead to no object in unlisted packs.
   *
   * @param values the objects
   * @param generation a generation since which all they lead to was listed, unless it was dropped
   */
  private record Apart(Set<ObjectId> values, long generation) {
    private static final Apart NOTHING = new Apart(Set.of(), 0);
  }

  /**
   * Commits a change.
   *
   * @param through commits it
   * @param apart objects known not to lead into these packs
   * @param leads whether a value leads into them
   * @throws UnknownValues if it is neither known that refs are to lead into them nor that they are
   *     not; nothing was written
   */
  private <R> R commit(Committer through, ManifestChange<R> change, Apart apart, boolean leads)
      throws IOException {
    List<DeferredPack> present = List.copyOf(packs); // a later one is nothing the change rests on
    List<DeferredPack> claimed = new ArrayList<>(present.size()); // one that is claimed must fit
    State outcome = State.IN_DOUBT;
    try {
      for (DeferredPack pack : present) {
        if (deferred.claim(pack)) {
          claimed.add(pack);
        }
      }
      Accompanied<R> answer =
          through.commit(
              base -> {
                Proposal<R> proposal = change.propose(base);
                boolean listed = leads || leadsInto(claimed, base, proposal, apart);
                return accompany(proposal, present, claimed, listed);
              });
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
      needed.retainAll(packs);
      changes.incrementAndGet();
    }
  }

  private <R> Proposal<Accompanied<R>> accompany(
      Proposal<R> proposal, List<DeferredPack> present, List<DeferredPack> claimed, boolean leads)
      throws IOException {
    if (!(proposal instanceof Proposal.Edit<R> edit)) {
      return Proposal.noEdit(new Accompanied<>(proposal.verdict(), false));
    }
    for (DeferredPack pack : present) {
      if (!claimed.contains(pack)) {
        checkListed(pack, edit.next());
      }
    }
    return leads
        ? Proposal.edit(
            DeferredPacks.listing(edit.next(), claimed), new Accompanied<>(edit.verdict(), true))
        : Proposal.edit(edit.next(), new Accompanied<>(edit.verdict(), false));
  }

  /** Tests whether new values of refs lead into packs, from memory alone. */
  private boolean leadsInto(
      List<DeferredPack> claimed, Manifest base, Proposal<?> proposal, Apart apart)
      throws UnknownValues {
    if (claimed.isEmpty() || !(proposal instanceof Proposal.Edit<?> edit)) {
      return false;
    }
    Optional<Set<ObjectId>> values = edit.next().refs().newValues(base.refs());
    if (values.isEmpty() || values.get().stream().anyMatch(id -> isIn(claimed, id))) {
      return true;
    }
    boolean known =
        values.get().isEmpty()
            || (base.dropped() <= apart.generation() && apart.values().containsAll(values.get()));
    if (!known) {
      throw new UnknownValues(values.get());
    }
    return false;
  }

  private boolean isIn(List<DeferredPack> claimed, ObjectId id) {
    try (DfsReader reader = objects.newReader()) {
      for (DeferredPack pack : claimed) {
        if (pack.file().isIndexLoaded() && pack.file().hasObject(reader, id)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false; // then it is looked for once more
    }
  }

  /** Checks that no pack in doubt or forgotten is relied on, unless it is listed. */
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

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.lib.AnyObjectId;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.pack.DeferredPack.State;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.UnknownOutcomeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs of one repository that were received in this process and wait for a ref update to publish
 * them. A pack is part of one commit at a time: whoever wants to publish it, or to forget it, waits
 * until that one is decided. So once it was listed nobody lists it again, even if another process
 * has replaced it meanwhile, and once it was forgotten nobody lists it at all.
 *
 * <p>Safe for use by many threads.
 */
final class DeferredPacks {
  private static final Logger LOG = LoggerFactory.getLogger(DeferredPacks.class);

  private final ManifestCommitter committer;
  private final Publisher publisher;

  /** Packs that are hidden or being published, by id. */
  private final Map<String, DeferredPack> waiting = new ConcurrentHashMap<>();

  /** Packs that waited and may never be listed. Written under the monitor. */
  private volatile long lost;

  DeferredPacks(ManifestCommitter committer, Publisher publisher) {
    this.committer = committer;
    this.publisher = publisher;
  }

  /** The commit loop; makes no room, unlike what publishes packs alone. */
  ManifestCommitter committer() {
    return committer;
  }

  void add(DeferredPack pack) {
    waiting.put(pack.entry().id(), pack);
  }

  /** Ids of packs whose indexes are worth keeping though no manifest lists them. */
  Set<String> ids() {
    return waiting.keySet();
  }

  /**
   * Publishes a pack that has some object, so that others than its own handle can see it.
   *
   * @param id the object
   * @param reader reads indexes
   * @param own packs that the caller sees anyway
   * @return whether a pack that has the object was published
   * @throws IOException if the pack cannot be published
   */
  boolean publishWith(AnyObjectId id, DfsReader reader, Quarantine own) throws IOException {
    for (DeferredPack pack : waiting.values()) {
      if (!own.holds(pack) && has(pack, id, reader) && publish(pack)) {
        return true;
      }
    }
    return false;
  }

  /** Whether packs that other handles received have an object, published or not. */
  boolean othersHave(AnyObjectId id, DfsReader reader, Quarantine own) {
    return waiting.values().stream().anyMatch(pack -> !own.holds(pack) && has(pack, id, reader));
  }

  /**
   * Publishes all packs that have an object.
   *
   * @param id the object
   * @param reader reads indexes
   * @param own packs that the caller publishes by itself
   * @throws IOException if one cannot be published
   */
  void publishAllWith(AnyObjectId id, DfsReader reader, Quarantine own) throws IOException {
    for (DeferredPack pack : waiting.values()) {
      if (!own.holds(pack) && has(pack, id, reader) && !publish(pack)) {
        throw new IOException(
            String.format(
                "object %s is in received pack %s only, which cannot be published; nothing was"
                    + " done, push again",
                id.name(), pack.entry().id()));
      }
    }
  }

  /** Packs that were forgotten so far, or of which nothing is known since their commit. */
  long lost() {
    return lost;
  }

  /** Whether a pack waits that other handles received. */
  boolean othersWait(Quarantine own) {
    return waiting.values().stream().anyMatch(pack -> !own.holds(pack));
  }

  static boolean has(DeferredPack pack, AnyObjectId id, DfsReader reader) {
    try {
      return pack.file().hasObject(reader, id);
    } catch (IOException e) {
      // Its files are gone, or cannot be read: to all but its own handle it is as if there were
      // none.
      LOG.debug("the index of received pack {} cannot be read", pack.entry().id(), e);
      return false;
    }
  }

  private boolean publish(DeferredPack pack) throws IOException {
    List<DeferredPack> claimed = List.of(pack); // before: it must be settled without memory too
    if (!claim(pack)) {
      return state(pack) == State.PUBLISHED;
    }
    State outcome = State.IN_DOUBT;
    try {
      publisher.<Boolean>commit(base -> Proposal.edit(listing(base, claimed), true));
      outcome = State.PUBLISHED;
    } catch (UnknownOutcomeException e) {
      throw e;
    } catch (ManifestException.Stalled e) {
      outcome = State.HIDDEN;
      return false; // its push took too long and will be refused: nobody else is to suffer
    } catch (IOException e) {
      outcome = State.HIDDEN;
      throw e;
    } finally {
      settle(claimed, outcome);
    }
    return true;
  }

  /** Manifest that lists some packs before its own; called by the commit loop. */
  static Manifest listing(Manifest manifest, List<DeferredPack> added) {
    List<PackEntry> packs = new ArrayList<>();
    for (DeferredPack pack : added) {
      pack.description().offer();
      packs.add(pack.entry());
    }
    packs.addAll(manifest.packs());
    return manifest.withPacks(packs);
  }

  /**
   * Waits until no commit with a pack is undecided, and takes the pack for one if it is still
   * hidden.
   *
   * @return whether the caller has to {@link #settle} it
   */
  synchronized boolean claim(DeferredPack pack) {
    awaitDecision(pack);
    boolean hidden = pack.state() == State.HIDDEN;
    if (hidden) {
      pack.become(State.PUBLISHING);
    }
    return hidden;
  }

  /**
   * Says what became of packs that were claimed. Allocates nothing: who waits for them would wait
   * for ever if the heap is full.
   */
  synchronized void settle(List<DeferredPack> claimed, State outcome) {
    for (int i = 0; i < claimed.size(); i++) { // an iterator would be allocated
      DeferredPack pack = claimed.get(i);
      pack.become(outcome);
      if (outcome == State.IN_DOUBT) {
        lost++;
      }
      if (outcome != State.HIDDEN) {
        waiting.remove(pack.entry().id());
      }
    }
    notifyAll();
  }

  /**
   * Forgets a pack unless it was published, or may have been.
   *
   * @return whether no manifest will ever list it
   */
  synchronized boolean forget(DeferredPack pack) {
    awaitDecision(pack);
    if (pack.state() != State.HIDDEN) {
      return false;
    }
    pack.become(State.FORGOTTEN);
    lost++; // before it waits no more, so that it is seen to do the one or the other
    waiting.remove(pack.entry().id());
    return true;
  }

  synchronized State state(DeferredPack pack) {
    return pack.state();
  }

  /** The caller holds the monitor. */
  private void awaitDecision(DeferredPack pack) {
    boolean interrupted = false;
    while (pack.state() == State.PUBLISHING) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

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
import org.jgits3.internal.commit.Committer;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.concurrent.Uninterrupted;
import org.jgits3.internal.pack.DeferredPack.State;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.UnknownOutcomeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs of one repository that were received in this process and wait for a ref update to publish
 * them. A pack is part of one commit at a time: another caller that wants to publish or forget it
 * waits until that commit is decided. So a pack that was listed is never listed again, even if
 * another process has replaced it meanwhile, and a forgotten pack is never listed.
 *
 * <p>Safe for use by many threads.
 */
final class DeferredPacks {
  private static final Logger LOG = LoggerFactory.getLogger(DeferredPacks.class);

  private final ManifestCommitter committer;
  private final Committer publisher;

  /** Packs that are hidden or being published, by id. */
  private final Map<String, DeferredPack> waiting = new ConcurrentHashMap<>();

  /** Number of packs that may never be listed. Written under the monitor. */
  private volatile long lost;

  DeferredPacks(ManifestCommitter committer, Committer publisher) {
    this.committer = committer;
    this.publisher = publisher;
  }

  /** Commit loop; does not make room, unlike the publisher of packs. */
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
   * Publishes a pack that has some object, so that other handles see it.
   *
   * @param id the object
   * @param reader reads indexes
   * @param own packs that the caller sees already
   * @return true if a pack with the object was published
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

  /** Tests whether packs received by other handles have an object, published or not. */
  boolean othersHave(AnyObjectId id, DfsReader reader, Quarantine own) {
    return waiting.values().stream().anyMatch(pack -> !own.holds(pack) && has(pack, id, reader));
  }

  /**
   * Publishes all packs that have an object.
   *
   * @param id the object
   * @param reader reads indexes
   * @param own packs that the caller publishes itself
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

  /** Number of packs that were forgotten, or whose commit has an unknown outcome. */
  long lost() {
    return lost;
  }

  /** Tests whether a pack received by another handle waits. */
  boolean othersWait(Quarantine own) {
    return waiting.values().stream().anyMatch(pack -> !own.holds(pack));
  }

  static boolean has(DeferredPack pack, AnyObjectId id, DfsReader reader) {
    try {
      return pack.file().hasObject(reader, id);
    } catch (IOException e) {
      // Its files are gone, or cannot be read: for other handles it does not exist.
      LOG.debug("the index of received pack {} cannot be read", pack.entry().id(), e);
      return false;
    }
  }

  /**
   * Publishes a pack if it waits.
   *
   * @param pack the pack
   * @return true if it is listed, or was
   * @throws IOException if it cannot be published
   */
  boolean publish(DeferredPack pack) throws IOException {
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
      return false; // its push took too long and will be refused; others must not fail for it
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
   * Waits until no commit with a pack is undecided, and claims the pack for one if it is still
   * hidden.
   *
   * @return true if the caller has to {@link #settle} it
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
   * Sets the outcome of claimed packs. Allocates nothing, because others wait for it even if the
   * commit fails with an {@link OutOfMemoryError}.
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
   * @return true if no manifest will ever list it
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

  /** Requires the monitor. */
  private void awaitDecision(DeferredPack pack) {
    Uninterrupted.await(
        () -> {
          while (pack.state() == State.PUBLISHING) {
            wait();
          }
        });
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.commit.Committer;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.concurrent.Uninterrupted;
import org.jgits3.internal.function.Causes;
import org.jgits3.internal.pack.DeferredPack.State;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs of one repository that were received or inserted in this process and wait for a ref update
 * to publish them. A pack is part of one commit at a time: another caller that wants to publish or
 * forget it waits until that commit is decided. So a pack that was listed is never listed again,
 * even if another process has replaced it meanwhile, and a forgotten pack is never listed.
 *
 * <p>Safe for use by many threads.
 */
final class DeferredPacks {
  private static final Logger LOG = LoggerFactory.getLogger(DeferredPacks.class);

  private final ManifestCommitter committer;
  private final Committer publisher;

  /** Packs of this repository that wait or are lost, by id. */
  private final Map<String, DeferredPack> unlisted = new ConcurrentHashMap<>();

  /** Those of all repositories of a process, which keep their repositories in memory. */
  private final Set<Object> ofProcess;

  DeferredPacks(ManifestCommitter committer, Committer publisher, Set<Object> ofProcess) {
    this.committer = committer;
    this.publisher = publisher;
    this.ofProcess = ofProcess;
  }

  /** Commit loop; does not make room, unlike the publisher of packs. */
  ManifestCommitter committer() {
    return committer;
  }

  Committer publisher() {
    return publisher;
  }

  void add(DeferredPack pack) {
    ofProcess.add(pack);
    unlisted.put(pack.entry().id(), pack);
  }

  /** Ids of packs whose indexes are worth keeping though no manifest lists them. */
  Set<String> ids() {
    return unlisted.keySet();
  }

  /**
   * Publishes a pack with a given object, together with all packs of its quarantine, so that other
   * handles see it.
   *
   * @param id the object
   * @param reader reads indexes
   * @param own packs that the caller sees already
   * @return true if a pack with the object was published
   * @throws IOException if the pack cannot be published
   */
  boolean publishWith(AnyObjectId id, DfsReader reader, Quarantine own) throws IOException {
    for (DeferredPack pack : unlisted.values()) {
      boolean isOthers = pack.quarantine() != own && state(pack) != State.IN_DOUBT;
      if (isOthers && isReadableIn(pack, id, reader) && publish(pack)) {
        return true;
      }
    }
    return false;
  }

  private boolean isReadableIn(DeferredPack pack, AnyObjectId id, DfsReader reader) {
    try {
      return has(pack, id, reader);
    } catch (IOException e) {
      // It cannot be read now: for other handles it does not exist.
      LOG.debug("the index of received pack {} cannot be read", pack.entry().id(), e);
      return false;
    }
  }

  /** Publishes a pack with all packs of its quarantine; false if it is not listed afterwards. */
  private boolean publish(DeferredPack pack) throws IOException {
    pack.quarantine().publish();
    return state(pack) == State.PUBLISHED;
  }

  /**
   * Makes sure that objects are listed before another object that refers to them is written,
   * because all writers may rely on a listed object. If only hidden packs of other requests have
   * one of them, publishes one of these packs.
   *
   * @param ids the objects referred to
   * @param objects objects that the caller sees
   * @param own packs that are published with those of the caller
   * @throws IOException if one cannot be published, or its index cannot be read
   */
  void publishAllWith(List<ObjectId> ids, S3ObjDatabase objects, Quarantine own)
      throws IOException {
    try (DfsReader reader = objects.newReader()) {
      for (ObjectId id : ids) {
        List<DeferredPack> having = new ArrayList<>();
        for (DeferredPack pack : unlisted.values()) {
          if (pack.quarantine() != own && has(pack, id, reader)) {
            having.add(pack);
          }
        }
        boolean alone = !having.isEmpty() && !objects.isListed(id) && !own.hasObject(id, reader);
        if (alone && !publishAny(having)) {
          throw new IOException(
              String.format(
                  "object %s is in pack %s only, which may never be published; nothing was done,"
                      + " push again",
                  id.name(), having.get(0).entry().id()));
        }
      }
    }
  }

  private boolean publishAny(List<DeferredPack> packs) throws IOException {
    for (DeferredPack pack : packs) {
      if (publish(pack)) {
        return true;
      }
    }
    return false;
  }

  /** Tests whether a pack has an object, and was not deleted by a sweep. */
  private boolean has(DeferredPack pack, AnyObjectId id, DfsReader reader) throws IOException {
    if (state(pack) == State.FORGOTTEN) {
      return false;
    }
    try {
      return pack.has(id, reader);
    } catch (IOException e) {
      if (Causes.find(e, StoreException.Missing.class).isEmpty()) {
        throw e;
      }
      sweep(pack);
      return false;
    }
  }

  /**
   * Notes that a sweep has deleted a pack. The pack stays here, so that refs are set only after a
   * check of the objects they lead to.
   */
  private synchronized void sweep(DeferredPack pack) {
    if (pack.state() == State.HIDDEN || pack.state() == State.IN_DOUBT) {
      pack.become(State.FORGOTTEN);
    }
  }

  /** Tests whether packs of other requests wait or are lost. */
  boolean othersHide(Quarantine own) {
    return unlisted.values().stream().anyMatch(pack -> pack.quarantine() != own);
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
   * Sets the outcome of claimed packs. Allocates nothing, because other threads wait for the
   * outcome even if the commit fails with an {@link OutOfMemoryError}.
   */
  synchronized void settle(List<DeferredPack> claimed, State outcome) {
    for (int i = 0; i < claimed.size(); i++) { // an iterator would be allocated
      DeferredPack pack = claimed.get(i);
      pack.become(outcome);
      if (outcome == State.PUBLISHED) {
        remove(pack);
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
    remove(pack);
    return true;
  }

  /** Notes which packs in doubt the newest manifest known lists. */
  void observeNewest() {
    if (!unlisted.isEmpty()) {
      committer.cached().ifPresent(newest -> observe(newest.manifest()));
    }
  }

  /** Notes which packs in doubt a manifest lists: their commits were applied. */
  synchronized void observe(Manifest manifest) {
    List<DeferredPack> doubtful =
        unlisted.values().stream().filter(pack -> pack.state() == State.IN_DOUBT).toList();
    if (!doubtful.isEmpty()) {
      Set<String> listed = manifest.packs().stream().map(PackEntry::id).collect(Collectors.toSet());
      settle(
          doubtful.stream().filter(pack -> listed.contains(pack.entry().id())).toList(),
          State.PUBLISHED);
    }
  }

  private void remove(DeferredPack pack) {
    unlisted.remove(pack.entry().id());
    ofProcess.remove(pack);
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

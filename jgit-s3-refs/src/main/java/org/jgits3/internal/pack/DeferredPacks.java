// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.UnlistedPack;
import org.jgits3.internal.commit.UnlistedPack.State;
import org.jgits3.internal.function.Causes;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs of one repository that were received or inserted in this process and wait for a ref update
 * to publish them.
 *
 * <p>Safe for use by many threads.
 */
final class DeferredPacks {
  private static final Logger LOG = LoggerFactory.getLogger(DeferredPacks.class);

  private final SharedPacks packs;

  /** Packs of this repository that wait or are lost, by id. */
  private final Map<String, DeferredPack> unlisted = new ConcurrentHashMap<>();

  /** Those of all repositories of a process, which keep their repositories in memory. */
  private final Set<Object> ofProcess;

  /** Pack that was received or inserted, and that only the handles of its request see. */
  static final class DeferredPack extends UnlistedPack {
    private final S3PackDescription description;
    private final S3ObjDatabase writer;
    private final Quarantine quarantine;

    /**
     * Creates a pack that waits.
     *
     * @param description the pack, whose files are in the store
     * @param writer handle that received or inserted it
     * @param quarantine packs that it is listed together with
     */
    DeferredPack(S3PackDescription description, S3ObjDatabase writer, Quarantine quarantine) {
      super(description.toEntry());
      this.description = description;
      this.writer = writer;
      this.quarantine = quarantine;
    }

    S3PackDescription description() {
      return description;
    }

    /**
     * Tests whether the pack has an object; tries again to load an index that could not be read.
     */
    boolean has(AnyObjectId id, DfsReader reader) throws IOException {
      return writer
          .createDfsPackFile(DfsBlockCache.getInstance(), description)
          .hasObject(reader, id);
    }

    S3ObjDatabase writer() {
      return writer;
    }

    Quarantine quarantine() {
      return quarantine;
    }

    /** Tests whether the pack is of a push, which may be refused. */
    boolean wasReceived() {
      return description.getPackSource() == PackSource.RECEIVE;
    }
  }

  DeferredPacks(SharedPacks packs, Set<Object> ofProcess) {
    this.packs = packs;
    this.ofProcess = ofProcess;
  }

  /** Lists packs without setting a ref. */
  void list(List<UnlistedPack> hidden) throws IOException {
    packs.<Boolean>commit(base -> Proposal.edit(base, true), hidden);
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
      boolean isOthers = pack.quarantine() != own && pack.state() == State.HIDDEN;
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
    return pack.state() == State.LISTED;
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
    if (pack.state() == State.FORGOTTEN) {
      return false;
    }
    try {
      return pack.has(id, reader);
    } catch (IOException e) {
      if (Causes.find(e, StoreException.Missing.class).isEmpty()) {
        throw e;
      }
      pack.swept(); // and stays here, so that refs are set only after a check of their objects
      return false;
    }
  }

  /** Tests whether packs of other requests wait or are lost. */
  boolean othersHide(Quarantine own) {
    return unlisted.values().stream()
        .anyMatch(pack -> pack.quarantine() != own && pack.state() != State.LISTED);
  }

  /** Notes which packs a manifest lists, and that those which were listed need not be kept. */
  void observe(Manifest manifest) {
    if (!unlisted.isEmpty()) {
      Set<String> listed = manifest.packs().stream().map(PackEntry::id).collect(Collectors.toSet());
      unlisted.values().stream()
          .filter(pack -> listed.contains(pack.entry().id()))
          .forEach(UnlistedPack::listed);
      unlisted.values().stream().filter(pack -> pack.state() == State.LISTED).forEach(this::remove);
    }
  }

  void remove(DeferredPack pack) {
    unlisted.remove(pack.entry().id());
    ofProcess.remove(pack);
  }
}

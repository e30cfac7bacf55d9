// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsRepository;
import org.eclipse.jgit.internal.storage.file.PackIndex;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.commit.ManifestChange;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.function.IoFunction;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.Refs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the packs of garbage that a collection drops, and commits the collection. Refs that were
 * created or moved since the collection read them may lead into the garbage. Before the commit,
 * their values are therefore followed through the packs that stay, and followed again on each base
 * manifest with newer values. The garbage is kept if a ref leads into it.
 *
 * <p>Used by one thread.
 */
final class GarbageDrop {
  /**
   * Number of bases tried. Each costs a walk over the objects pushed since the previous one. All
   * tries are used up only if refs keep moving faster than they can be followed.
   */
  private static final int TRIES = 100;

  private static final Logger LOG = LoggerFactory.getLogger(GarbageDrop.class);

  private final S3ObjDatabase handle;
  private final SharedPacks shared;

  /**
   * Creates a commit through a handle.
   *
   * @param handle the handle that has collected
   * @param shared its packs
   */
  GarbageDrop(S3ObjDatabase handle, SharedPacks shared) {
    this.handle = handle;
    this.shared = shared;
  }

  /**
   * Finds packs of garbage with an object that none of the new packs has. A collection drops
   * expired garbage and repacks other garbage; only the new packs tell which it did.
   *
   * @param leaving packs that are replaced
   * @param added packs that replace them
   * @param indexes reads the index of a pack
   * @return those of the packs that are replaced
   */
  static Set<S3PackDescription> dropped(
      List<S3PackDescription> leaving,
      List<S3PackDescription> added,
      IoFunction<S3PackDescription, PackIndex> indexes)
      throws IOException {
    List<S3PackDescription> garbage =
        leaving.stream().filter(p -> p.getPackSource() == PackSource.UNREACHABLE_GARBAGE).toList();
    Set<S3PackDescription> dropped = new HashSet<>(garbage);
    if (garbage.isEmpty()) {
      return dropped;
    }
    List<PackIndex> kept = new ArrayList<>();
    for (S3PackDescription pack : added) {
      kept.add(indexes.apply(pack));
    }
    for (S3PackDescription pack : garbage) {
      if (haveAll(kept, indexes.apply(pack))) {
        dropped.remove(pack);
      }
    }
    return dropped;
  }

  private static boolean haveAll(List<PackIndex> packs, PackIndex objects) {
    for (PackIndex.MutableEntry object : objects) {
      ObjectId id = object.toObjectId();
      if (packs.stream().noneMatch(pack -> pack.hasObject(id))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Finds the packs of garbage that {@code gc.pruneExpire} keeps. The collection of this library
   * keeps them anyway, but JGit's {@code Git.gc()} would drop garbage that is a day old.
   */
  static Set<S3PackDescription> unexpired(Set<S3PackDescription> garbage, DfsRepository repository)
      throws IOException {
    if (garbage.isEmpty()) {
      return Set.of();
    }
    String name = repository.getDescription().getRepositoryName();
    GarbageExpiry expiry = GarbageExpiry.of(repository.getConfig(), name);
    return garbage.stream()
        .filter(pack -> !expiry.isOver(pack.getLastModified()))
        .collect(Collectors.toSet());
  }

  /**
   * Refs that are shown to lead only to objects that stay.
   *
   * @param refs the refs
   * @param generation generation of their manifest
   */
  private record Proven(Refs refs, long generation) {
    private static Proven of(Manifest manifest) {
      return new Proven(manifest.refs(), manifest.generation());
    }

    /** Tests whether the refs of a manifest lead only to objects that stay. */
    boolean covers(Manifest base) {
      return base.dropped() <= generation
          && base.refs().newValues(refs).map(Set::isEmpty).orElse(false);
    }
  }

  /**
   * Commits.
   *
   * @param dropping the packs, without those of garbage
   * @param keeping the packs, with those of garbage
   * @throws IOException if the commit failed, or its outcome is unknown
   */
  void commit(PackReplacement dropping, PackReplacement keeping) throws IOException {
    Optional<Proven> proven = shared.collected().map(Proven::of);
    if (proven.isEmpty()) {
      proven = prove(dropping, proven);
    }
    for (int i = 0; i < TRIES && proven.isPresent(); i++) {
      if (drop(dropping, proven.get())) {
        return;
      }
      proven = prove(dropping, proven);
    }
    this.<Boolean>commit(base -> Proposal.edit(keeping.apply(base), true));
  }

  private <R> R commit(ManifestChange<R> change) throws IOException {
    return shared.commit(change, handle.quarantine().listedWith(true));
  }

  /** Commits; returns false, and changes nothing, if refs were created or moved since the proof. */
  private boolean drop(PackReplacement dropping, Proven proven) throws IOException {
    return commit(
        base -> {
          Manifest next = dropping.apply(base); // also checks that all inputs are listed
          return proven.covers(base)
              ? Proposal.edit(next.withDropped(base.generation() + 1), true)
              : Proposal.noEdit(false);
        });
  }

  /** Follows all refs of the newest manifest known; empty if one may lead into the garbage. */
  private Optional<Proven> prove(PackReplacement dropping, Optional<Proven> before)
      throws IOException {
    Manifest base = shared.committer().cached().orElseThrow().manifest();
    Manifest next = dropping.apply(base);
    Optional<Set<ObjectId>> values =
        before
            .filter(proven -> base.dropped() <= proven.generation())
            .flatMap(proven -> base.refs().newValues(proven.refs()));
    try (VersionPacks packs = new Remaining(shared, next);
        S3ObjDatabase remaining = handle.of(packs)) {
      remaining.checkComplete(
          values.isPresent() ? values.get() : values(base),
          shared.refs().apply(next.withRefs(Refs.NONE))); // no ref counts as complete
      return Optional.of(Proven.of(base));
    } catch (MissingObjectException | IncorrectObjectTypeException | CorruptObjectException e) {
      LOG.info("garbage stays, since a ref may lead into it: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private Set<ObjectId> values(Manifest manifest) throws IOException {
    Set<ObjectId> values = new HashSet<>();
    for (Ref ref : shared.refs().apply(manifest).getRefs()) {
      if (ref.getObjectId() != null) {
        values.add(ref.getObjectId());
      }
    }
    return values;
  }

  /** The packs that stay listed without the garbage, opened with those of all handles. */
  private static final class Remaining extends VersionPacks {
    private final SharedPacks packs;

    Remaining(SharedPacks packs, Manifest manifest) {
      super(packs, packs.committer(), manifest);
      this.packs = packs;
    }

    @Override
    DfsPackFile packFile(S3PackDescription pack, Function<String, DfsPackFile> create) {
      return packs.packFile(pack, create);
    }

    @Override
    void hold(S3PackDescription pack) {
      packs.hold(pack);
    }

    @Override
    void forget(S3PackDescription pack) {
      packs.forget(pack);
    }
  }
}

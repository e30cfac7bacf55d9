// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.commit.Committer;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.Refs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commit of a collection that drops packs of garbage. Refs that were created or moved since the
 * collection read them may lead into the garbage. So their values are followed, through the packs
 * that stay alone, before it is committed, and again on each base that has newer ones: only a ref
 * that does lead there keeps the garbage, or a commit that is shallow no more: what was packed of
 * those below it is not known to be all.
 *
 * <p>Used by one thread.
 */
final class GarbageDrop {
  /**
   * Bases that are tried. Each costs the objects that pushes have brought since the one before; it
   * takes refs that move all the time, faster than those can be followed, to come this far.
   */
  private static final int TRIES = 100;

  private static final Logger LOG = LoggerFactory.getLogger(GarbageDrop.class);

  private final S3ObjDatabase handle;
  private final SharedPacks shared;
  private final Committer committer;

  /**
   * A commit through a handle.
   *
   * @param handle the handle that has collected
   * @param shared its packs
   * @param committer commits changes of packs for it
   */
  GarbageDrop(S3ObjDatabase handle, SharedPacks shared, Committer committer) {
    this.handle = handle;
    this.shared = shared;
    this.committer = committer;
  }

  /**
   * Refs all of which lead to what is there without the garbage.
   *
   * @param refs the refs
   * @param generation generation of their manifest
   */
  private record Proven(Refs refs, long generation) {
    private static Proven of(Manifest manifest) {
      return new Proven(manifest.refs(), manifest.generation());
    }

    /** Whether the refs of a manifest lead to nothing else. */
    boolean covers(Manifest base) {
      return base.dropped() <= generation
          && base.refs().newValues(refs).map(Set::isEmpty).orElse(false);
    }
  }

  /** Refs were created or moved since the garbage was last looked at. Nothing was changed. */
  private static final class RefsMoved extends IOException {
    private static final long serialVersionUID = 1;

    RefsMoved() {
      super("refs were created or moved since it was found out what is garbage");
    }
  }

  /**
   * Commits.
   *
   * @param dropping the packs, without those of garbage
   * @param keeping the packs, with those of garbage
   * @return whether packs of garbage stayed
   * @throws IOException if it could not be done, or not be decided
   */
  boolean commit(PackReplacement dropping, PackReplacement keeping) throws IOException {
    Optional<Proven> proven = shared.collected().map(Proven::of);
    if (proven.isEmpty()) {
      proven = prove(dropping, proven);
    }
    for (int i = 0; i < TRIES && proven.isPresent(); i++) {
      try {
        return drop(dropping, keeping, proven.get());
      } catch (RefsMoved e) {
        proven = prove(dropping, proven);
      }
    }
    return committer.commit(base -> Proposal.edit(keeping.apply(base), true));
  }

  private boolean drop(PackReplacement dropping, PackReplacement keeping, Proven proven)
      throws IOException {
    return committer.commit(
        base -> {
          if (!base.settings().shallow().containsAll(handle.shallowSeen())) {
            return Proposal.edit(keeping.apply(base), true); // refs lead further than it has packed
          }
          Manifest next = dropping.apply(base); // also checks that all inputs are listed
          if (!proven.covers(base)) {
            throw new RefsMoved();
          }
          return Proposal.edit(next.withDropped(base.generation() + 1), false);
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
    try (PinnedPacks packs = new Remaining(shared, next);
        S3ObjDatabase remaining = handle.of(packs)) {
      remaining.checkComplete(
          values.isPresent() ? values.get() : values(base),
          shared.refs().of(next.withRefs(Refs.NONE))); // none is known to lead to what stays
      return Optional.of(Proven.of(base));
    } catch (MissingObjectException | IncorrectObjectTypeException | CorruptObjectException e) {
      LOG.info("garbage stays, since a ref may lead into it: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private Set<ObjectId> values(Manifest manifest) throws IOException {
    Set<ObjectId> values = new HashSet<>();
    for (Ref ref : shared.refs().of(manifest).getRefs()) {
      if (ref.getObjectId() != null) {
        values.add(ref.getObjectId());
      }
    }
    return values;
  }

  /** The packs that are listed when the garbage is not, with what was loaded of them already. */
  private static final class Remaining extends PinnedPacks {
    private final SharedPacks packs;

    Remaining(SharedPacks packs, Manifest manifest) {
      super(packs, packs.committer(), manifest);
      this.packs = packs;
    }

    @Override
    DfsPackFile packFile(String id, Function<String, DfsPackFile> create) {
      return packs.packFile(id, create);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCommitter;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.Proposal;

/**
 * The packs of one manifest, whatever others commit meanwhile: what maintenance works on. Shares
 * nothing with the handles of users. Safe for use by many threads.
 */
public class PinnedPacks extends SharedPacks implements Closeable {
  private final ManifestCommitter committer;
  private final Manifest pinned;
  private volatile boolean garbageKept;

  /**
   * The packs of a manifest.
   *
   * @param packs what the handles of users share, of which only the way to the store is used
   * @param committer commit loop of the repository
   * @param pinned manifest that lists them
   */
  public PinnedPacks(SharedPacks packs, ManifestCommitter committer, Manifest pinned) {
    super(packs, committer);
    this.committer = committer;
    this.pinned = pinned;
  }

  @Override
  Manifest manifest() {
    return pinned;
  }

  /**
   * Mints from the newest manifest there is, since a pack is begun when everything was counted, and
   * that may have taken so long that a name of the pinned one would be too old to be listed.
   */
  @Override
  String mint() throws IOException {
    return ObjectNames.mint(committer.validate().manifest());
  }

  /** Does nothing: what is not in these packs is missing. */
  @Override
  void refresh() {}

  /**
   * Publishes packs, and removes the ones they replace. Packs of garbage stay listed if a ref was
   * created or moved since the manifest these packs are of: it may lead to an object that only they
   * have. If they go, the manifest notes the generation, so that whoever found such an object
   * before looks again.
   */
  @Override
  void commit(Collection<S3PackDescription> added, Collection<S3PackDescription> replaced)
      throws IOException {
    List<PackEntry> entries = added.stream().map(S3PackDescription::toEntry).toList();
    PackReplacement all = new PackReplacement(entries, ids(replaced.stream()));
    PackReplacement withoutGarbage =
        new PackReplacement(entries, ids(replaced.stream().filter(p -> !isGarbage(p))));
    boolean removesGarbage = all.replaced().size() > withoutGarbage.replaced().size();
    added.forEach(S3PackDescription::offer);
    garbageKept =
        committer.commit(
            base -> {
              Manifest next = all.apply(base); // also checks that all inputs are listed
              if (!removesGarbage) {
                return Proposal.edit(next, false);
              }
              if (base.refs().movedSince(pinned.refs())) {
                return Proposal.edit(withoutGarbage.apply(base), true);
              }
              return Proposal.edit(next.withDropped(base.generation() + 1), false);
            });
  }

  private static boolean isGarbage(S3PackDescription pack) {
    return pack.getPackSource() == PackSource.UNREACHABLE_GARBAGE;
  }

  private static Set<String> ids(Stream<S3PackDescription> packs) {
    return packs.map(S3PackDescription::id).collect(Collectors.toSet());
  }

  /**
   * Whether packs of garbage that were to be removed are still listed.
   *
   * @return true if the last commit kept them
   */
  public boolean garbageKept() {
    return garbageKept;
  }

  /** Lets go what was loaded of them, and the manifest. */
  @Override
  public void close() {
    retire();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.RefDatabase;
import org.jgits3.internal.commit.ManifestChange;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.UnlistedPack;
import org.jgits3.internal.function.IoFunction;
import org.jgits3.internal.pack.IndexBudget.OpenPacks;
import org.jgits3.internal.pack.file.PackFiles;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.internal.pack.file.SpillDirectory;
import org.jgits3.internal.pack.limit.TransferLimits;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * The packs of one repository, as all its handles in this process share them: one list, one loaded
 * index of each. Safe for use by many threads.
 */
public class SharedPacks {
  private final Resources resources;
  private final ManifestCommitter committer;
  private final Room room;
  private final IoFunction<Manifest, RefDatabase> refs;
  private final DeferredPacks deferred;

  /** Packs that some handle uses, so that handles share loaded indexes. */
  private final OpenPacks open = new OpenPacks();

  /**
   * Newest list. Replaced under the lock of this, and read without it, because threads hold the
   * lock while they wait for the budget.
   */
  private volatile Listing newest = Listing.NONE;

  private long dropsSeen; // guarded by this

  private int handles; // open ones; guarded by this
  private boolean retired; // guarded by this

  /**
   * Store, disk and memory that the packs of all repositories of a process share.
   *
   * @param store store of the repositories
   * @param uploads uploads to it
   * @param files reads the files of packs
   * @param spills directory for large packs being received until they are whole
   * @param limits limits of pushes and fetches
   * @param indexes memory for the indexes of packs
   * @param unlisted packs that wait or are lost
   */
  public record Resources(
      ObjectStore store,
      PackUploads uploads,
      PackFiles files,
      SpillDirectory spills,
      TransferLimits limits,
      IndexBudget indexes,
      Set<Object> unlisted) {}

  /** Makes room in the manifest for packs. */
  @FunctionalInterface
  public interface Room {
    /**
     * Moves parts of the manifest to objects of their own.
     *
     * @param full says how much is missing
     * @param attempt number of earlier attempts to make room for the same change
     * @return whether the change may fit now
     * @throws IOException if it failed, or its outcome is unknown; nothing is lost
     */
    boolean make(ManifestException.TooLarge full, int attempt) throws IOException;
  }

  /**
   * Creates the packs of one repository.
   *
   * @param resources shared by all repositories
   * @param committer commit loop of the repository
   * @param room makes room in its manifest if that is full
   * @param refs gives the refs of its manifests
   */
  public SharedPacks(
      Resources resources,
      ManifestCommitter committer,
      Room room,
      IoFunction<Manifest, RefDatabase> refs) {
    this.resources = resources;
    this.committer = committer;
    this.room = room;
    this.refs = refs;
    this.deferred = new DeferredPacks(this, resources.unlisted());
  }

  DeferredPacks deferred() {
    return deferred;
  }

  /** Creates other packs with the same store, uploads and caches. */
  SharedPacks(SharedPacks other, ManifestCommitter committer) {
    this(other.resources, committer, other.room, other.refs);
  }

  Resources resources() {
    return resources;
  }

  /** Newest manifest this process knows. */
  Manifest manifest() throws IOException {
    return committer.known();
  }

  /**
   * Mints the name of a pack to be written, from a manifest validated after this call began. The
   * manifest that a collection works on may be too old for that: a pack named after it could no
   * longer be listed.
   */
  String mint() throws IOException {
    return ObjectNames.mint(committer.validate().manifest());
  }

  /** Asks the store for the newest manifest. */
  void refresh() throws IOException {
    committer.validate();
  }

  /**
   * Tests whether an object is a file of a pack that some handle has received, or that the newest
   * manifest known to this process lists.
   *
   * @param key key of the object
   */
  boolean lists(String key) throws IOException {
    String name = key.substring(key.lastIndexOf('/') + 1);
    String id = name.substring(0, Math.max(0, name.lastIndexOf('.')));
    return deferred.ids().contains(id)
        || manifest().packs().stream().anyMatch(pack -> pack.id().equals(id));
  }

  /**
   * A number that grows when the packs change.
   *
   * @return number of changes
   */
  long version() throws IOException {
    return list().version();
  }

  Listing list() throws IOException {
    return observe(manifest());
  }

  private synchronized Listing observe(Manifest manifest) {
    if (manifest.generation() > newest.generation()) { // a slow caller may come with an old one
      boolean same =
          manifest.packs().equals(newest.packs())
              && manifest.identity().template().equals(newest.template()); // its drops count, too
      newest = newest.next(same ? 0 : 1, manifest, same ? newest.ofTemplate : open(manifest));
      if (!same) {
        closeUnlisted();
      }
      deferred.observe(manifest);
    }
    long drops = drops();
    if (dropsSeen != drops) {
      dropsSeen = drops;
      newest = newest.again();
    }
    return newest;
  }

  /** Open packs of the template of a manifest. */
  private Optional<OpenPacks> open(Manifest manifest) {
    return manifest
        .identity()
        .template()
        .map(template -> resources.indexes().ofTemplate(template.repositoryId()));
  }

  private void closeUnlisted() {
    Set<String> gone = new HashSet<>(open.ids());
    newest.packs().forEach(pack -> gone.remove(pack.id()));
    gone.removeAll(deferred.ids());
    gone.forEach(this::drop);
  }

  /** Number of times that packs were dropped, those of the template included. */
  private long drops() {
    return open.drops() + newest.ofTemplate.map(OpenPacks::drops).orElse(0L);
  }

  /**
   * Packs at one moment.
   *
   * @param version number of the list, as {@link #version} gives it
   * @param packs the packs
   * @param repository says under which id each is stored; empty before the first manifest
   * @param ofTemplate open packs of the template, which stay shared as long as this list is used
   */
  record Listing(
      long version,
      List<PackEntry> packs,
      Optional<Manifest.Identity> repository,
      Optional<OpenPacks> ofTemplate) {
    private static final Listing NONE =
        new Listing(0, List.of(), Optional.empty(), Optional.empty());

    private long generation() {
      return repository.isPresent() ? repository.get().generation() : 0;
    }

    private Listing next(int changes, Manifest manifest, Optional<OpenPacks> ofTemplate) {
      return new Listing(
          version + changes, manifest.packs(), Optional.of(manifest.identity()), ofTemplate);
    }

    /** The same packs, to be listed again. */
    private Listing again() {
      return new Listing(version + 1, packs, repository, ofTemplate);
    }

    private Optional<Manifest.Template> template() {
      return repository.flatMap(Manifest.Identity::template);
    }

    /**
     * Describes a pack to JGit. All forks of a template give its packs one description, so that
     * JGit's cache has their blocks once.
     *
     * @param entry one of the packs
     * @param own names the repository
     */
    S3PackDescription describe(PackEntry entry, DfsRepositoryDescription own) {
      String owner = repository.orElseThrow().owner(entry.id());
      boolean shared = template().filter(t -> t.has(entry.id())).isPresent();
      return new S3PackDescription(
          shared ? new DfsRepositoryDescription(owner) : own, owner, entry);
    }
  }

  DfsPackFile packFile(S3PackDescription pack, Function<String, DfsPackFile> create) {
    return openWith(pack).get(pack.id(), create);
  }

  /** Open packs that a pack is among: those of the template, or its own. */
  private OpenPacks openWith(S3PackDescription pack) {
    return isOfTemplate(pack) ? resources.indexes().ofTemplate(pack.owner()) : open;
  }

  /** Packs of a template are named by its id. */
  private static boolean isOfTemplate(S3PackDescription pack) {
    return pack.getRepositoryDescription().getRepositoryName().equals(pack.owner());
  }

  /** Releases the indexes of a pack that no manifest will ever list. */
  void drop(String id) {
    open.close(id);
    resources.indexes().release(open, id);
  }

  /** Counts the indexes of a pack that is about to be read, and makes room for them. */
  void hold(S3PackDescription pack) {
    int together = newest.template().isPresent() ? 2 : 1;
    resources.indexes().hold(openWith(pack), pack.id(), sideFiles(pack), together);
    synchronized (this) {
      forgetIfUnused(); // the last handle may have been closed before the pack was counted
    }
  }

  /** Notes that these packs are in use. */
  void use() {
    resources.indexes().use(open);
    newest.ofTemplate.ifPresent(resources.indexes()::use);
  }

  /** Notes that a handle was opened. */
  synchronized void opened() {
    handles++;
  }

  /** Notes that a handle was closed. */
  synchronized void closed() {
    handles--;
    forgetIfUnused();
  }

  /**
   * Notes that only open handles keep these packs. Loaded indexes are released once all handles are
   * closed, unless {@link #revive} is called first.
   *
   * @return whether handles are open
   */
  public synchronized boolean retire() {
    retired = true;
    forgetIfUnused();
    return handles > 0;
  }

  /** Reverts {@link #retire}: handles will be opened again. */
  public synchronized void revive() {
    retired = false;
  }

  /** Notes that no handle is left, even if some were never closed. */
  public void abandon() {
    resources.indexes().forget(open);
  }

  private void forgetIfUnused() {
    if (retired && handles == 0) {
      resources.indexes().forget(open);
      open.closeAll();
    }
  }

  private static long sideFiles(DfsPackDescription pack) {
    return Stream.of(PackExt.values())
        .filter(ext -> ext != PackExt.PACK && pack.hasFileExt(ext))
        .mapToLong(pack::getFileSize)
        .sum();
  }

  /**
   * Forgets a pack after a failed read of one of its files, so that the next use reads it again.
   */
  void forget(S3PackDescription pack) {
    resources.indexes().release(openWith(pack), pack.id()); // first, so that its next load counts
    openWith(pack).drop(pack.id());
  }

  IoFunction<Manifest, RefDatabase> refs() {
    return refs;
  }

  ManifestCommitter committer() {
    return committer;
  }

  /**
   * Manifest whose refs lead only to objects in the packs of the collection that uses these packs;
   * empty if there is none.
   */
  Optional<Manifest> collected() {
    return Optional.empty();
  }

  /**
   * Commits a change of packs. If the manifest has no room for it, folds refs and log and tries
   * again. Without that, a writer that only lists packs, such as an inserter of single objects,
   * would be refused until an update of refs folds them.
   *
   * @param change the change
   * @param packs packs that are listed with it
   */
  <R> R commit(ManifestChange<R> change, List<UnlistedPack> packs) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return committer.commit(change, packs);
      } catch (ManifestException.TooLarge e) {
        if (!room.make(e, attempt)) {
          throw e;
        }
      }
    }
  }

  /**
   * Publishes packs, and removes the ones they replace. Packs of garbage to be dropped stay listed
   * if a ref leads to an object that only they have. If they are dropped, the manifest records the
   * generation, so that a writer that found such an object before checks again. If the manifest is
   * full, refs and log are folded first.
   *
   * @param handle the handle that publishes them
   * @param added packs whose files are all in the store
   * @param replaced packs whose objects are in {@code added}, or dropped; all must still be listed
   * @param dropped those of the replaced packs that have objects which are not in {@code added}
   * @throws org.jgits3.manifest.ManifestException.TooLarge if it is full of packs; nothing changed
   * @throws IOException if it failed, or its outcome is unknown
   */
  void commit(
      S3ObjDatabase handle,
      Collection<S3PackDescription> added,
      Collection<S3PackDescription> replaced,
      Set<S3PackDescription> dropped)
      throws IOException {
    List<PackEntry> entries = added.stream().map(S3PackDescription::toEntry).toList();
    PackReplacement all = new PackReplacement(entries, ids(replaced.stream()));
    if (dropped.isEmpty()) {
      this.<Boolean>commit(
          base -> Proposal.edit(all.apply(base), true), handle.quarantine().listedWith(true));
      return;
    }
    PackReplacement withoutDropping =
        new PackReplacement(entries, ids(replaced.stream().filter(p -> !dropped.contains(p))));
    new GarbageDrop(handle, this).commit(all, withoutDropping);
  }

  private static Set<String> ids(Stream<S3PackDescription> packs) {
    return packs.map(S3PackDescription::id).collect(Collectors.toSet());
  }

  /** Adds to the failure that the pack belongs to the template of this fork, if it does. */
  StoreException ofTemplate(StoreException.Missing missing, S3PackDescription pack)
      throws IOException {
    return pack.owner().equals(manifest().repositoryId())
        ? missing
        : new StoreException.Missing(
            missing.key(),
            missing.getMessage()
                + "; it is of the template "
                + pack.owner()
                + " of this fork: bring it back from a version that the bucket keeps, or from a"
                + " backup",
            missing);
  }
}

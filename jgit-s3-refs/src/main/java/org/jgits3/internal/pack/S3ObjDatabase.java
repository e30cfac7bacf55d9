// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.NotSupportedException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase;
import org.eclipse.jgit.internal.storage.dfs.DfsOutputStream;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsPackParser;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.internal.storage.dfs.DfsReaderOptions;
import org.eclipse.jgit.internal.storage.dfs.DfsRepository;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectDatabase;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.transport.PackedObjectInfo;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.internal.commit.UnlistedPack;
import org.jgits3.internal.function.Causes;
import org.jgits3.internal.pack.DeferredPacks.DeferredPack;
import org.jgits3.internal.pack.check.ReachableObjects;
import org.jgits3.internal.pack.connectivity.Connectivity;
import org.jgits3.internal.pack.file.BlockCache;
import org.jgits3.internal.pack.file.S3PackDescription;
import org.jgits3.internal.pack.limit.TransferLimits;
import org.jgits3.internal.pack.limit.TransferLimits.Transfer;
import org.jgits3.internal.refs.transaction.ObjectPresence;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects of one repository handle. Lists the packs of the newest manifest that the process knows,
 * and the packs that this handle received and has not published. A missing object makes it ask the
 * store for a newer manifest. Safe for use by many threads.
 */
public class S3ObjDatabase extends DfsObjDatabase implements ObjectPresence {
  private static final Logger LOG = LoggerFactory.getLogger(S3ObjDatabase.class);

  /**
   * Sources of packs that collections write for reachable objects. Together these packs hold, with
   * each object, everything reachable from it, because they are only replaced together.
   */
  private static final Set<PackSource> COLLECTED = Set.of(PackSource.GC, PackSource.GC_REST);

  private final SharedPacks shared;
  private final boolean brief;

  /** Packs that wait, of this handle and others of its request. */
  private volatile Quarantine quarantine;

  private volatile boolean defers;
  private volatile boolean defersInserted;
  private volatile boolean countsSent;

  /** Memory and work of the push or fetch that this handle serves. */
  private final Transfer transfer;

  /**
   * Version of the shared packs from which the current list was made, or is being made. Written by
   * {@link #listPacks} only, which JGit never calls concurrently.
   */
  private volatile long scanned = -1;

  /** Version of the list whose indexes were loaded together. */
  private volatile long loaded = -1;

  private final AtomicBoolean closed = new AtomicBoolean();

  private final Blobs blobs;

  private final NewPacks created;

  /**
   * Creates the objects of a handle that serves more than one operation, or whose refs do not
   * change.
   *
   * @param repository the handle
   * @param options how readers read
   * @param shared packs of the repository, shared by its handles
   */
  public S3ObjDatabase(DfsRepository repository, DfsReaderOptions options, SharedPacks shared) {
    this(repository, options, shared, false);
  }

  /**
   * Creates the objects of a handle.
   *
   * @param repository the handle
   * @param options how readers read
   * @param shared packs of the repository, shared by its handles
   * @param brief true if the handle is for one operation, and the manifest was read for it
   */
  public S3ObjDatabase(
      DfsRepository repository, DfsReaderOptions options, SharedPacks shared, boolean brief) {
    super(repository, options);
    this.shared = shared;
    this.brief = brief;
    this.quarantine = new Quarantine(shared.deferred());
    this.transfer = shared.resources().limits().begin();
    this.created = new NewPacks(shared.resources());
    this.blobs = new Blobs(options.getStreamFileThreshold());
    shared.opened();
  }

  /**
   * Defers packs that a push brings through this handle from now on, until a write of the manifest
   * through it. Pack and refs are then committed in one write, and a refused push publishes nothing
   * unless its hooks write something. For a handle that serves one push. Other handles see such a
   * pack once it is published, or when they miss an object of it. Closing the handle forgets packs
   * that were not published, unless handles {@linkplain #deferTogetherWith of the same request}
   * could see them. Objects fetched or inserted through the handle are published as through any
   * other, together with what it has received.
   */
  public void deferReceivedPacks() {
    defers = true;
  }

  /**
   * Defers packs that are inserted through this handle from now on, until a write of the manifest
   * through it lists them together with refs. For a handle that serves one request. Other handles
   * of the process see such a pack when they miss an object of it, as if it were not deferred.
   * Other processes see it with the ref, or when this handle is closed, which publishes what no ref
   * update has published.
   */
  public void deferInsertedPacks() {
    defersInserted = true;
  }

  /**
   * Makes this handle one of the same request as another one of the repository: each sees at once
   * what either receives or inserts and defers, and the next write through either publishes it. To
   * be called before this handle is used.
   *
   * @param other handle of the same request; after it has forgotten a pack, or if it is of a
   *     repository that had the name before, nothing changes
   */
  public void deferTogetherWith(S3ObjDatabase other) {
    if (other.shared == shared) {
      Quarantine common = other.quarantine;
      quarantine = common.join() ? common : quarantine;
    }
  }

  /**
   * Takes memory for objects that a client names in a fetch, until this handle is closed.
   *
   * @param bytes length of the part of its request that is about to be kept
   * @throws IOException if other requests have taken too much, or the limit allows no request so
   *     much
   */
  public void takeForNames(long bytes) throws IOException {
    transfer.takeForNames(bytes);
  }

  /**
   * Checks the work of a push, before a comparison of two commits.
   *
   * @return why it may compare no more; empty if it may
   */
  public Optional<String> checkComparisons() {
    return transfer.checkComparisons();
  }

  /**
   * Takes memory for each object that is sent through this handle from now on, until it is closed.
   * If there is not enough, packing fails with an {@link java.io.UncheckedIOException} caused by a
   * {@link TransferLimits.Refusal}. For a handle that serves one fetch.
   */
  public void countSent() {
    countsSent = true;
  }

  /**
   * Takes memory for all objects that a clone may send; waits a limited time for other requests to
   * release theirs. Objects that a bitmap covers take none, because their packs are sent as they
   * are.
   *
   * @throws IOException if other requests keep too much
   */
  public void awaitMemoryForClone() throws IOException {
    long objects =
        shared.manifest().packs().stream()
            .filter(pack -> !pack.source().equals(PackSource.UNREACHABLE_GARBAGE.name()))
            .filter(pack -> !pack.files().containsKey(PackExt.BITMAP_INDEX.getExtension()))
            .mapToLong(PackEntry::objects)
            .sum();
    transfer.awaitForSent(objects);
  }

  /**
   * Makes a reader for the user of this handle.
   *
   * @return a reader, which counts the objects it sends if this handle does
   */
  public ObjectReader newObjectReader() {
    return countsSent ? new SendingReader(newReader(), transfer) : newReader();
  }

  @Override
  public List<UnlistedPack> unlisted() {
    return quarantine.listedWith(false);
  }

  @Override
  public void checkComplete(Set<ObjectId> ids, RefDatabase refs) throws IOException {
    leaveOutUnlisted();
    try (DfsReader reader = newReader()) {
      List<DfsPackFile> collected =
          Stream.of(getPacks())
              .filter(pack -> COLLECTED.contains(pack.getPackDescription().getPackSource()))
              .toList();
      new Connectivity(reader, refs, id -> has(collected, id, reader), id -> isBlob(id, reader))
          .check(ids);
    }
  }

  /**
   * Notes the types of all objects of a pack, which its index does not have, for later checks.
   *
   * @param pack pack that was parsed
   * @param sorted its objects, sorted by id
   */
  public void noteTypes(DfsPackDescription pack, List<PackedObjectInfo> sorted) {
    blobs.note((S3PackDescription) pack, sorted);
  }

  /**
   * Tests whether an object is a blob. Reads its header, unless its type was noted. One not noted
   * and too large to be read into memory, of more than {@code core.dfs.streamFileThreshold} bytes,
   * counts as a blob: a tree of 50 MiB would have a million entries.
   */
  private boolean isBlob(AnyObjectId id, DfsReader reader) throws IOException {
    return blobs.has(id, getPacks(), reader);
  }

  /**
   * Checks all objects that a walk reaches.
   *
   * @param walk walk of the repository, which has its starts
   * @param monitor receives the number of objects
   * @throws MissingObjectException if an object is missing
   * @throws org.eclipse.jgit.errors.IncorrectObjectTypeException if one has another type than the
   *     object says that names it
   * @throws IOException if one cannot be read
   */
  public void checkReachable(ObjectWalk walk, ProgressMonitor monitor) throws IOException {
    try (DfsReader reader = newReader()) {
      ReachableObjects.check(walk, id -> isBlob(id, reader), monitor);
    }
  }

  private static boolean has(List<DfsPackFile> packs, AnyObjectId id, DfsReader reader)
      throws IOException {
    for (DfsPackFile pack : packs) {
      if (pack.hasObject(reader, id)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Lists the packs again if a pack of this handle is no longer listed. JGit adds an inserted pack
   * to its list after the commit; a collection may have replaced the pack by then.
   */
  private void leaveOutUnlisted() throws IOException {
    Set<String> ids = new HashSet<>();
    quarantine.visible().forEach(pack -> ids.add(pack.entry().id()));
    shared.list().packs().forEach(entry -> ids.add(entry.id()));
    for (DfsPackFile pack : getPackList().packs) {
      if (!ids.contains(((S3PackDescription) pack.getPackDescription()).id())) {
        clearCache();
        return;
      }
    }
  }

  /** Tests whether packs of other requests wait or are lost. */
  @Override
  public boolean mayKnowHidden() {
    return shared.deferred().othersHide(quarantine);
  }

  boolean isClosed() {
    return closed.get();
  }

  /** Objects of other packs than those of this handle. */
  S3ObjDatabase of(SharedPacks packs) {
    return new S3ObjDatabase(getRepository(), getReaderOptions(), packs);
  }

  /** Tests whether a pack that the newest manifest known lists has an object. */
  boolean isListed(AnyObjectId id) throws IOException {
    try (S3ObjDatabase listed = new Listed(this)) {
      return listed.has(id, false);
    }
  }

  /** The objects in packs that a manifest lists. */
  private static final class Listed extends S3ObjDatabase {
    Listed(S3ObjDatabase database) {
      super(database.getRepository(), database.getReaderOptions(), database.shared);
    }

    @Override
    boolean publishHidden(AnyObjectId id, DfsReader reader) {
      return false;
    }
  }

  void refresh() throws IOException {
    shared.refresh();
  }

  /** Packs that wait, of this handle and others of its request. */
  Quarantine quarantine() {
    return quarantine;
  }

  /** Publishes the packs that other handles received and hide, if they have one of the objects. */
  void publishHidden(List<ObjectId> ids) throws IOException {
    shared.deferred().publishAllWith(ids, this, quarantine);
  }

  DfsPackParser newPackParser(S3Inserter inserter, InputStream in) throws IOException {
    if (defers) {
      transfer.beginWork();
    }
    return new PushParser(this, inserter, in, receiving());
  }

  /** Limits of a pack that is received: those of the push, or none. */
  private Transfer receiving() {
    return defers ? transfer : TransferLimits.unlimited();
  }

  /** The objects as a pack parser, which alone calls this, finds them. */
  @Override
  public ObjectDatabase newCachedDatabase() {
    return new ForParser(this);
  }

  private static final class ForParser extends ObjectDatabase {
    private final S3ObjDatabase database;

    ForParser(S3ObjDatabase database) {
      this.database = database;
    }

    @Override
    public ObjectReader newReader() {
      return new S3Reader(database).forParser(database.receiving());
    }

    @Override
    public ObjectInserter newInserter() {
      return database.newInserter();
    }

    @Override
    public long getApproximateObjectCount() {
      return database.getApproximateObjectCount();
    }

    @Override
    public void close() {} // the handle is closed by its user
  }

  /** Publishes a pack that other handles received and hide, if it has an object. */
  boolean publishHidden(AnyObjectId id, DfsReader reader) throws IOException {
    return shared.deferred().publishWith(id, reader, quarantine);
  }

  /**
   * Tests whether a failure means that a pack vanished: the store does not have it, and the newest
   * manifest does not list it. Reads the newest manifest from the store if the one in memory lists
   * the pack.
   */
  boolean vanished(Throwable failure) throws IOException {
    Optional<StoreException.Missing> missing = Causes.find(failure, StoreException.Missing.class);
    if (missing.isEmpty()) {
      return false;
    }
    if (shared.lists(missing.get().key())) {
      shared.refresh();
    }
    return !shared.lists(missing.get().key());
  }

  @Override
  public PackList getPackList() throws IOException {
    long version = shared.version() + quarantine.version();
    while (scanned < version) {
      clearCache();
      super.getPackList(); // maybe a list that another thread began to make earlier
    }
    return super.getPackList();
  }

  /**
   * Loads the indexes of all packs in parallel, once for each list. Reading a repository needs most
   * of them, and JGit would load them one request after the other. A single index is left to JGit,
   * and so are all if there is no room to keep them.
   */
  void loadIndexes() throws IOException {
    shared.use();
    PackList list = getPackList();
    long version = scanned;
    if (loaded == version) {
      return;
    }
    for (DfsPackFile pack : list.packs) {
      shared.hold((S3PackDescription) pack.getPackDescription());
    }
    List<DfsPackFile> missing =
        Stream.of(list.packs).filter(pack -> !pack.isIndexLoaded()).toList();
    long bytes =
        missing.stream()
            .mapToLong(pack -> pack.getPackDescription().getFileSize(PackExt.INDEX))
            .sum();
    if (missing.size() > 1 && shared.resources().indexes().hasRoomFor(bytes)) {
      ParallelRequests.forEach(
          missing,
          pack -> {
            try (DfsReader reader = super.newReader()) {
              pack.getPackIndex(reader);
            }
          });
    }
    loaded = version;
  }

  @Override
  public DfsReader newReader() {
    return new S3Reader(this);
  }

  /**
   * Called before each object that is read.
   *
   * @throws IOException if the push that this handle serves has taken more time than is allowed
   */
  void checkTime() throws IOException {
    transfer.checkTime();
  }

  @Override
  public ObjectInserter newInserter() {
    return new S3Inserter(this);
  }

  /**
   * As documented by JGit. Does not ask the store for newer packs, because only writers call this.
   */
  @Override
  public boolean has(AnyObjectId id, boolean avoidUnreachable) throws IOException {
    try (ObjectReader reader = new S3Reader(this).forWriter()) {
      reader.setAvoidUnreachableObjects(avoidUnreachable);
      return reader.has(id);
    }
  }

  @Override
  protected List<DfsPackDescription> listPacks() throws IOException {
    long own = quarantine.version();
    List<DeferredPack> hidden = quarantine.visible(); // first: a pack that leaves is listed by then
    SharedPacks.Listing listing = shared.list();
    scanned = listing.version() + own;
    List<DfsPackDescription> packs = new ArrayList<>();
    Set<String> listed = new HashSet<>();
    for (PackEntry entry : listing.packs()) {
      listed.add(entry.id());
      packs.add(listing.describe(entry, getRepository().getDescription()));
    }
    for (DeferredPack pack : hidden) {
      if (!listed.contains(pack.entry().id())) {
        packs.add(pack.description());
      }
    }
    return packs;
  }

  @Override
  public DfsPackFile createDfsPackFile(DfsBlockCache cache, DfsPackDescription pack) {
    pack.setBlockSize(PackExt.PACK, BlockCache.packBlockSize(cache));
    return shared.packFile((S3PackDescription) pack, i -> super.createDfsPackFile(cache, pack));
  }

  @Override
  protected S3PackDescription newPack(PackSource source) throws IOException {
    String id = brief ? ObjectNames.mint(shared.manifest()) : shared.mint();
    String owner = shared.manifest().repositoryId();
    S3PackDescription pack =
        new S3PackDescription(getRepository().getDescription(), owner, id, source);
    pack.setLastModified(SystemReader.getInstance().now().toEpochMilli());
    created.begin(pack);
    return pack;
  }

  @Override
  protected DfsOutputStream writeFile(DfsPackDescription desc, PackExt ext) throws IOException {
    return created.write((S3PackDescription) desc, ext);
  }

  /** As {@link #writeFile}, for a caller that never reads the file back. */
  DfsOutputStream writeWithoutReading(S3PackDescription pack, PackExt ext) throws IOException {
    return created.writeWithoutReading(pack, ext);
  }

  @Override
  public ReadableChannel openFile(DfsPackDescription desc, PackExt ext) throws IOException {
    S3PackDescription pack = (S3PackDescription) desc;
    if (ext != PackExt.PACK) {
      shared.hold(pack);
    }
    try {
      return shared.resources().files().open(pack, ext);
    } catch (IOException e) {
      if (ext != PackExt.PACK) {
        shared.forget(pack); // JGit never tries a pack again once an index failed to load
      }
      if (e instanceof StoreException.Missing missing && shared.manifest().isFork()) {
        throw shared.ofTemplate(missing, pack);
      }
      throw e;
    }
  }

  @Override
  protected void commitPackImpl(
      Collection<DfsPackDescription> added, Collection<DfsPackDescription> replaced)
      throws IOException {
    List<S3PackDescription> packs = ours(added);
    for (S3PackDescription pack : packs) {
      NewPacks.checkWhole(pack);
      pack.finish();
      created.complete(pack);
    }
    if (replaced == null || replaced.isEmpty()) {
      created.end(packs);
      if (!defer(packs)) {
        shared.commit(this, packs, List.of(), Set.of());
      }
    } else {
      age(packs, replaced);
      replace(ours(replaced), packs);
    }
    clearCache();
  }

  /**
   * Gives packs that were merged the age of the oldest one. Otherwise a repository whose packs keep
   * being merged would never have one old enough to be collected.
   */
  private static void age(List<S3PackDescription> added, Collection<DfsPackDescription> replaced) {
    long oldest = replaced.stream().mapToLong(p -> p.getLastModified()).min().orElseThrow();
    added.stream()
        .filter(pack -> pack.getPackSource() == PackSource.COMPACT)
        .forEach(pack -> pack.setLastModified(oldest));
  }

  private void replace(List<S3PackDescription> replaced, List<S3PackDescription> added)
      throws IOException {
    List<S3PackDescription> leaving = new ArrayList<>(replaced);
    Set<S3PackDescription> dropped = dropped(leaving, added);
    Set<S3PackDescription> kept = GarbageDrop.unexpired(dropped, getRepository());
    leaving.removeAll(kept);
    dropped.removeAll(kept);
    created.end(added);
    shared.commit(this, added, leaving, dropped);
  }

  private boolean defer(List<S3PackDescription> packs) {
    Quarantine to = quarantine;
    return packs.stream().allMatch(this::mayWait)
        && to.add(this, packs.stream().map(pack -> new DeferredPack(pack, this, to)).toList());
  }

  private boolean mayWait(S3PackDescription pack) {
    return pack.getPackSource() == PackSource.INSERT ? defersInserted : defers && pack.wasPushed();
  }

  private Set<S3PackDescription> dropped(
      List<S3PackDescription> leaving, List<S3PackDescription> added) throws IOException {
    DfsBlockCache cache = DfsBlockCache.getInstance();
    try (DfsReader reader = newReader()) {
      return GarbageDrop.dropped(
          leaving, added, pack -> createDfsPackFile(cache, pack).getPackIndex(reader));
    }
  }

  private static List<S3PackDescription> ours(Collection<DfsPackDescription> packs) {
    return packs.stream().map(S3PackDescription.class::cast).toList();
  }

  /**
   * Aborts uploads that are still open, and deletes the files of packs that no commit has named.
   * Once a commit was tried, the files are left to a sweep, because the outcome may be unknown.
   */
  @Override
  protected void rollbackPack(Collection<DfsPackDescription> packs) {
    created.rollBack(ours(packs));
  }

  /** Publishes what waits, or forgets it. */
  private void leave() {
    try {
      for (DeferredPack pack : quarantine.leave(this)) {
        shared.drop(pack.entry().id());
        if (!pack.wasProposed()) {
          created.discard(pack.description());
        }
      }
    } catch (IOException e) {
      LOG.warn(
          "{}: objects that no ref leads to were not published: {}",
          getRepository().getDescription().getRepositoryName(),
          e.getMessage());
    }
  }

  /**
   * Also publishes packs that were inserted through this handle, forgets others that were received,
   * and aborts uploads that JGit did not roll back.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      transfer.close();
      leave();
      created.abandonAll();
    } finally {
      super.close();
      shared.closed();
    }
  }

  /**
   * Refuses a history that ends above its beginning: all that a ref leads to is listed.
   *
   * @throws NotSupportedException if there are any commits
   */
  @Override
  public void setShallowCommits(Set<ObjectId> commits) throws NotSupportedException {
    if (!commits.isEmpty()) {
      throw new NotSupportedException(
          "the history that is offered is shallow, ends at "
              + commits.size()
              + " commits, and cannot be stored; complete it with git fetch --unshallow");
    }
  }

  @Override
  public long getApproximateObjectCount() {
    try {
      Manifest manifest = shared.manifest();
      return manifest.packs().stream().mapToLong(PackEntry::objects).sum();
    } catch (IOException e) {
      LOG.debug("object count is unknown", e);
      return -1;
    }
  }
}

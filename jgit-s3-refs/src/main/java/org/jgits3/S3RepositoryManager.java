// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.Closeable;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.transport.ServiceMayNotContinueException;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.jgits3.history.StoreHistory;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.internal.fork.Forks;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.function.IoFunction;
import org.jgits3.internal.pack.IndexBudget;
import org.jgits3.internal.pack.SharedPacks;
import org.jgits3.internal.pack.file.BlockCache;
import org.jgits3.internal.pack.file.PackFiles;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.internal.refs.snapshot.TableCache;
import org.jgits3.internal.store.ReadOnlyObjectStore;
import org.jgits3.internal.store.cache.DiskCache;
import org.jgits3.internal.store.probe.StoreProbe;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.maintenance.BackgroundMaintenance;
import org.jgits3.maintenance.GarbageCollection;
import org.jgits3.maintenance.Maintenance;
import org.jgits3.maintenance.Sweep;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.metrics.CollectionMetrics;
import org.jgits3.metrics.Counters;
import org.jgits3.metrics.MemoryUse;
import org.jgits3.store.Freshness;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UnsafeStoreException;
import org.jgits3.store.Uploads;

/**
 * The repositories of one store: opens, creates, lists, renames and deletes them. One manager
 * serves all threads of a process.
 *
 * <p>Handles of one repository share its manifest, its refs and its pack indexes, so that opening
 * is cheap. The manager keeps them for the repositories opened last, up to {@link
 * S3Settings#manifestLimit} bytes, and for every repository that a handle refers to. Safe for use
 * by many threads.
 *
 * <p>A repository is opened for a {@link Purpose}, which decides how often the store is asked
 * whether it has changed.
 *
 * <p>A long-running process calls {@link #maintainInBackground} when it starts: without maintenance
 * a repository gains a pack with each push, until its manifest is full.
 *
 * <p>A program that ends closes this manager, after its last request: that aborts open uploads. If
 * it does not, as when it is killed, a sweep removes what they leave.
 *
 * <p>The first manager of a process configures JGit's cache of pack data, as {@link
 * BlockCache#configureOnce} says.
 */
public final class S3RepositoryManager implements Closeable {
  /** Repositories whose refs are folded at a time: a stalled fold must not hold up the others. */
  private static final int FOLDS = 4;

  private static final String CONFIG = "[core]\n\tbare = true\n\trepositoryformatversion = 0\n";

  static final RepositorySettings SETTINGS = new RepositorySettings(CONFIG, "");

  private final ObjectStore store;
  private final S3Settings settings;
  private final RepositoryCatalog catalog;
  private final ThreadPoolExecutor background;
  private final BackgroundMaintenance maintenance;
  private volatile boolean maintaining;
  private final Counters counters = new Counters();
  private final TableCache tableBudget;
  private final SharedPacks.Resources packs;

  private final KnownRepositories repositories;

  /**
   * Opens the store the settings describe, probes it, and manages its repositories. The probe takes
   * up to 20 seconds and writes a marker if the store has none yet. A long-running process calls
   * {@link #maintainInBackground} next.
   *
   * @param settings settings of the administrator
   * @return the manager, to be closed
   * @throws UnsafeStoreException if the store does not keep what this software relies on, with the
   *     name of the failed check
   * @throws IOException if the store cannot be used
   */
  public static S3RepositoryManager open(S3Settings settings) throws IOException {
    return open(Stores.open(settings.location(), settings.options()), settings);
  }

  /**
   * Probes a store that was opened by the caller, and manages its repositories. For programs that
   * already have an S3 client: see {@link Stores#using}. A long-running process calls {@link
   * #maintainInBackground} next.
   *
   * @param store the store; closed with the manager, and if this fails
   * @param settings settings of the administrator; location and options of a store are not used
   * @return the manager, to be closed
   * @throws UnsafeStoreException if the store does not keep what this software relies on, with the
   *     name of the failed check
   * @throws IOException if the store cannot be used
   */
  public static S3RepositoryManager open(ObjectStore store, S3Settings settings)
      throws IOException {
    return managed(store, settings, StoreProbe::admit);
  }

  /**
   * Opens the store the settings describe to read its repositories, with credentials that may read
   * only. Sends no request: a store is probed by the programs that write to it. Every change of a
   * repository fails with a {@link org.jgits3.store.StoreException.Refused}, and maintenance in the
   * background is refused. A directory is created if it is missing, as by {@link
   * #open(S3Settings)}.
   *
   * @param settings settings of the administrator
   * @return the manager, to be closed
   * @throws IOException if the store cannot be used
   */
  public static S3RepositoryManager openReadOnly(S3Settings settings) throws IOException {
    return openReadOnly(Stores.open(settings.location(), settings.options()), settings);
  }

  /**
   * Reads the repositories of a store that was opened by the caller, as {@link
   * #openReadOnly(S3Settings)}.
   *
   * @param store the store; closed with the manager
   * @param settings settings of the administrator; location and options of a store are not used
   * @return the manager, to be closed
   * @throws IOException if it cannot be made of the settings; the store is closed then
   */
  public static S3RepositoryManager openReadOnly(ObjectStore store, S3Settings settings)
      throws IOException {
    return managed(new ReadOnlyObjectStore(store), settings, any -> {});
  }

  /** Manages the repositories of a store that is good; closes one that is not. */
  private static S3RepositoryManager managed(
      ObjectStore store, S3Settings settings, IoConsumer<ObjectStore> check) throws IOException {
    try {
      check.accept(store);
      return new S3RepositoryManager(store, settings);
    } catch (IOException | RuntimeException e) {
      try {
        store.close();
      } catch (IOException onClose) {
        e.addSuppressed(onClose);
      }
      throw e;
    }
  }

  /**
   * Manages the repositories of a store that was opened, and probed, by the caller.
   *
   * @param store the store; closed with the manager
   * @param settings settings of the administrator
   */
  public S3RepositoryManager(ObjectStore store, S3Settings settings) {
    this.store = store;
    this.settings = settings;
    BlockCache.configureOnce(settings.config());
    this.tableBudget = new TableCache(settings.tableLimit(), counters);
    this.packs =
        new SharedPacks.Resources(
            store,
            new PackUploads(store, settings.uploads()),
            new PackFiles(
                store, settings.diskCache().map(options -> new DiskCache(store, options))),
            settings.spills(),
            settings.transferLimits(),
            new IndexBudget(settings.indexLimit()),
            ConcurrentHashMap.newKeySet());
    this.catalog = new RepositoryCatalog(store, settings.commitDeadline());
    this.background = DaemonThreads.pool("jgit-s3-compaction", FOLDS);
    this.repositories = new KnownRepositories(settings.manifestLimit());
    this.maintenance =
        new BackgroundMaintenance(settings.collectAfter(), name -> maintenance(name.value()));
  }

  /**
   * Opens a repository for any purpose, see {@link Purpose#ANY}.
   *
   * @param name its name; a trailing {@code .git} is ignored
   * @return a handle, to be closed by the caller
   * @throws RepositoryNotFoundException as {@link #openRepository(String, Purpose)}
   * @throws IOException as {@link #openRepository(String, Purpose)}
   */
  public S3Repository openRepository(String name) throws IOException {
    return openRepository(name, Purpose.ANY);
  }

  /**
   * Opens a repository. If another process has deleted or renamed it since the answer of the store
   * that the opening relies on, the first look-up that asks fails with {@link
   * ManifestException.Gone}, and the next opening reads the manifest anew.
   *
   * @param name its name; a trailing {@code .git} is ignored
   * @param purpose what it is opened for
   * @return a handle, to be closed by the caller
   * @throws RepositoryNotFoundException if there is none, or the name is not allowed
   * @throws IOException if its manifest cannot be read
   */
  public S3Repository openRepository(String name, Purpose purpose) throws IOException {
    Purpose whole = purpose.or(settings.freshness());
    SharedRepository repository = found(name, checked -> known(checked, whole.opening()));
    boolean asked = purpose.began().isPresent() && repository.refs().isKnown(purpose.opening());
    return handle(repository, whole, asked);
  }

  /** Looks for a repository; tells the reason if there is none. */
  private SharedRepository found(String name, IoFunction<RepositoryName, SharedRepository> look)
      throws IOException {
    RepositoryName checked = checked(name);
    try {
      return look.apply(checked);
    } catch (ManifestException.Gone e) {
      throw new RepositoryNotFoundException(name, e);
    }
  }

  private static RepositoryName checked(String name) throws RepositoryNotFoundException {
    try {
      return RepositoryName.of(name);
    } catch (IllegalArgumentException e) {
      throw new RepositoryNotFoundException(name, e);
    }
  }

  private SharedRepository known(RepositoryName name, Freshness wanted) throws IOException {
    SharedRepository known = shared(name);
    return known.committer().cached().isPresent() && known.refs().isKnown(wanted)
        ? known
        : validated(name);
  }

  private S3Repository handle(SharedRepository repository, Purpose purpose, boolean mints) {
    repositories.keep(repository);
    return new S3Repository(repository, settings, purpose, mints);
  }

  private SharedRepository validated(RepositoryName name) throws IOException {
    SharedRepository repository = shared(name);
    try {
      repository.refs().validate();
      return repository;
    } catch (ManifestException.Gone e) {
      repositories.forget(repository);
      if (repository.committer().cached().isEmpty()) {
        throw e;
      }
      return validated(name); // it is gone; the name may stand for another repository already
    }
  }

  private SharedRepository shared(RepositoryName name) {
    SharedRepository known = repositories.get(name, this::create);
    known.opened();
    return known;
  }

  private SharedRepository create(RepositoryName name) {
    SharedRepository created = shared(Optional.of(name), null); // its pointer tells the id
    if (maintaining) {
      created.maintain(maintenance);
    }
    return created;
  }

  SharedRepository shared(Optional<RepositoryName> name, @Nullable String repositoryId) {
    return new SharedRepository(
        packs, name, repositoryId, settings, background, counters, tableBudget);
  }

  /** Notes that a name no longer stands for a repository. */
  private void ended(RepositoryName name, String repositoryId) {
    repositories
        .find(name)
        .filter(known -> known.repositoryId().map(repositoryId::equals).orElse(true))
        .ifPresent(this::end);
  }

  /** Notes that a name stands for this repository from now on, and so for no other. */
  void begun(RepositoryName name, String repositoryId) {
    repositories
        .find(name)
        .filter(known -> !known.repositoryId().equals(Optional.of(repositoryId)))
        .ifPresent(this::end); // also one of which the first read is under way
  }

  private void end(SharedRepository repository) {
    repository.committer().end(); // first: then a new handle is another
    repositories.forget(repository);
  }

  /**
   * Creates a repository with an unborn branch as {@code HEAD}: {@code init.defaultBranch} of the
   * settings, else {@code master}.
   *
   * @param name its name
   * @return a handle, to be closed by the caller
   * @throws ManifestException.Exists if there is one already
   * @throws ManifestException.Gone if another process deleted or renamed it as soon as it was
   *     created
   * @throws UnknownOutcomeException if it is not known whether it was created; if it was, another
   *     try ends with {@link ManifestException.Exists}, and it can be opened
   * @throws IllegalArgumentException if the name is not allowed
   * @throws IOException if the store does not answer or refuses; the repository may exist if the
   *     failure came while its handle was being opened
   */
  public S3Repository createRepository(String name) throws IOException {
    RepositoryName checked = RepositoryName.of(name);
    long began = System.nanoTime();
    return created(checked, catalog.create(checked, SETTINGS, unborn()), began);
  }

  private S3Repository created(RepositoryName name, VersionedManifest created, long began)
      throws IOException {
    begun(name, created.manifest().repositoryId());
    SharedRepository known = shared(name);
    known.refs().created(created, began);
    return handle(known, Purpose.ANY.or(settings.freshness()), false);
  }

  /**
   * Creates a fork: a repository that begins with the refs and objects of a template, however many,
   * in two small writes. It lists the packs of the template and has none of its own. Then checks
   * that the template still exists, and deletes the fork again if it does not.
   *
   * @param template name of the template; a trailing {@code .git} is ignored
   * @param name name of the fork
   * @return a handle, to be closed by the caller
   * @throws RepositoryNotFoundException if there is no such template
   * @throws ManifestException.Exists if there is a repository of that name
   * @throws ManifestException.Gone if the template was deleted or renamed, which this process did
   *     not know; there is no fork then, and another try looks up the name anew. Or if another
   *     process deleted or renamed the fork as soon as it was created
   * @throws ManifestException if the repository is no template
   * @throws UnknownOutcomeException if it is not known whether it was created, or whether its
   *     template still existed afterwards. If the fork exists and the template can still be opened,
   *     the fork is complete; else delete it
   * @throws IllegalArgumentException if the name is not allowed
   * @throws IOException if the store does not answer or refuses; there is no fork then
   */
  public S3Repository fork(String template, String name) throws IOException {
    RepositoryName checked = RepositoryName.of(name);
    SharedRepository source = found(template, this::template);
    long began = System.nanoTime();
    VersionedManifest created;
    try {
      VersionedManifest known = source.committer().cached().orElseThrow();
      created = catalog.fork(checked, known, settings.trustETag());
    } catch (ManifestException.Gone e) {
      repositories.forget(source); // the next fork asks what the name stands for
      throw e;
    } catch (UnknownOutcomeException e) {
      throw new UnknownOutcomeException(
          e.getMessage()
              + "; if there is a fork "
              + checked
              + ", it is whole if its template "
              + source.name()
              + ", of id "
              + source.manifest().repositoryId()
              + ", can still be opened, by whatever name it has then; else delete it",
          e);
    }
    return created(checked, created, began);
  }

  /** The template of a name. Asks the store unless the known manifest is that of a template. */
  private SharedRepository template(RepositoryName name) throws IOException {
    SharedRepository known = shared(name);
    if (known.committer().cached().isEmpty() || !known.manifest().isTemplate()) {
      known = validated(name);
    }
    if (!known.manifest().isTemplate()) {
      throw new ManifestException(
          name + " is no template; make one of it with jgit-s3 template, and fork that", null);
    }
    repositories.keep(known);
    return known;
  }

  /**
   * Finds the forks of a template: reads all manifests of the store.
   *
   * @param template name of the template
   * @return names of the forks, sorted; none of a repository that is no template
   * @throws RepositoryNotFoundException if there is no such repository
   * @throws IOException if a manifest cannot be read
   */
  public SortedSet<String> forks(String template) throws IOException {
    try (S3Repository repository = openRepository(template, Purpose.request())) {
      Manifest manifest = repository.manifest();
      return manifest.isTemplate() ? Forks.of(store, manifest.repositoryId()) : new TreeSet<>();
    }
  }

  /**
   * Copies everything that a fork lists of its template, so that the template can be deleted. A
   * repository that is no fork is only collected.
   *
   * @param name name of the fork
   * @param monitor receives progress; may cancel
   * @return result of the collection that copied the packs
   * @throws RepositoryNotFoundException if there is no such repository
   * @throws IOException if it could not be done; nothing is lost, repeat it
   */
  public GarbageCollection.Report detach(String name, ProgressMonitor monitor) throws IOException {
    try (S3Repository repository = openRepository(name, Purpose.request())) {
      SharedRepository fork = shared(checked(name));
      GarbageCollection.Report report = repository.maintenance().collectWithTemplate(monitor);
      if (!fork.manifest().isFork()) {
        return report;
      }
      fork.refs().copyFromTemplate();
      fork.committer()
          .<Boolean>commit(
              base ->
                  base.isFork()
                      ? Proposal.edit(base.withTemplate(Optional.empty()), true)
                      : Proposal.noEdit(false));
      return report;
    }
  }

  Refs unborn() {
    TreeMap<String, String> symrefs = new TreeMap<>();
    symrefs.put(Constants.HEAD, Constants.R_HEADS + defaultBranch());
    return Refs.NONE.with(Refs.NONE.overlay(), symrefs);
  }

  private String defaultBranch() {
    String name =
        settings
            .config()
            .getString(
                ConfigConstants.CONFIG_INIT_SECTION,
                null,
                ConfigConstants.CONFIG_KEY_DEFAULT_BRANCH);
    return name == null ? Constants.MASTER : name;
  }

  /**
   * Names of all repositories.
   *
   * @return names without {@code .git}, sorted
   * @throws IOException if the store does not answer
   */
  public SortedSet<String> list() throws IOException {
    TreeSet<String> names = new TreeSet<>();
    catalog.list(name -> names.add(name.value()));
    return names;
  }

  /**
   * Names of repositories, of which there may be a million, as the store lists them: a request for
   * each 1,000.
   *
   * @param prefix beginning of the names; empty for all
   * @param each called for each name without {@code .git}, in no particular order, as soon as the
   *     store has given it
   * @throws IllegalArgumentException if the groups before the last slash of the prefix are no names
   * @throws IOException if the store does not answer
   */
  public void forEachName(String prefix, Consumer<String> each) throws IOException {
    catalog.list(prefix, name -> each.accept(name.value()));
  }

  /**
   * Finds the name of a repository: one request.
   *
   * @param repositoryId id of the repository
   * @return its name without {@code .git}; empty if it has none, because it was deleted or an
   *     import is making it
   * @throws IOException if its manifest cannot be read
   */
  public Optional<String> nameOf(String repositoryId) throws IOException {
    return ManifestFile.read(store, repositoryId)
        .flatMap(found -> found.manifest().name())
        .map(RepositoryName::value);
  }

  /**
   * History of all repositories, for followers.
   *
   * @return the history, to be used while this manager is open
   */
  public StoreHistory storeHistory() {
    return new StoreHistory(
        store,
        new KnownManifests(store, repositories),
        settings.trustETag(),
        new LogObjects(store, packs.uploads()));
  }

  /**
   * Renames a repository. It can be read at every moment, by one name or the other. Handles that
   * are open under the old name behave as after {@link #delete}; open new ones under the new name.
   *
   * @param from its name
   * @param to name it will have
   * @throws IllegalArgumentException if a name is not allowed
   * @throws UnknownOutcomeException if it is not known whether it was done; handles learn of it as
   *     they would if another process had done it
   * @throws IOException as {@link RepositoryCatalog#rename}
   */
  public void rename(String from, String to) throws IOException {
    RepositoryName source = RepositoryName.of(from);
    RepositoryName target = RepositoryName.of(to);
    String id = catalog.rename(knownId(source), source, target);
    ended(source, id);
    begun(target, id);
  }

  /**
   * Gives a name to a repository by its id, whether its present name leads to it or not, as in a
   * copy of a store, or it has none because an import could not give it one.
   *
   * @param repositoryId id of the repository
   * @param to name it will have
   * @throws IllegalArgumentException if the name is not allowed
   * @throws ManifestException.Gone if there is no such repository
   * @throws IOException as {@link RepositoryCatalog#rename}
   */
  public void renameById(String repositoryId, String to) throws IOException {
    RepositoryName target = RepositoryName.of(to);
    Manifest manifest = byId(repositoryId).manifest();
    if (manifest.name().isPresent()) {
      catalog.rename(repositoryId, manifest.name().get(), target);
      ended(manifest.name().get(), repositoryId);
    } else {
      catalog.publish(repositoryId, target);
    }
    begun(target, repositoryId);
  }

  private VersionedManifest byId(String repositoryId) throws IOException {
    return ManifestFile.read(store, repositoryId)
        .filter(found -> found.manifest().holdsRepository())
        .orElseThrow(
            () -> new ManifestException.Gone("there is no repository of the id " + repositoryId));
  }

  /** Id of the repository that this process takes a name for. */
  private Optional<String> knownId(RepositoryName name) {
    return repositories
        .find(name)
        .filter(each -> !each.committer().isGone())
        .flatMap(SharedRepository::repositoryId);
  }

  /**
   * Deletes a repository. Open handles of it in this process fail from then on, even if the name is
   * used again: look-ups of refs with {@link ManifestException.Gone}, writes with that or another
   * {@code IOException}. Handles of other processes fail when they next ask the store. Any of these
   * handles can still read objects until a {@link #sweep} has deleted them. A template is deleted
   * only if it has no {@linkplain #forks forks}; finding that out takes a read of all manifests.
   *
   * @param name its name
   * @throws IllegalArgumentException if the name is not allowed
   * @throws ManifestException if it is a template with forks
   * @throws UnknownOutcomeException if it is not known whether it was done; handles learn of it as
   *     they would if another process had done it
   * @throws IOException as {@link RepositoryCatalog#delete}
   */
  public void delete(String name) throws IOException {
    RepositoryName checked = RepositoryName.of(name);
    ended(
        checked,
        catalog.delete(knownId(checked), checked, found -> Forks.checkNone(store, checked, found)));
  }

  /**
   * Deletes a repository by its id, as {@link #delete}, whether its name leads to it or not.
   *
   * @param repositoryId id of the repository
   * @throws ManifestException.Gone if there is no such repository
   * @throws IOException as {@link #delete}
   */
  public void deleteById(String repositoryId) throws IOException {
    Optional<RepositoryName> name = byId(repositoryId).manifest().name();
    if (name.isPresent()) {
      catalog.delete(repositoryId, name.get(), found -> Forks.checkNone(store, name.get(), found));
      ended(name.get(), repositoryId);
    } else {
      catalog.deleteImport(repositoryId);
    }
  }

  /**
   * Maintains repositories in the background from now on, including those already open: merges
   * small packs when pushes of any process have left enough of them, and collects once packs are as
   * old as {@link S3Settings#collectAfter} says. For long-running processes such as servers: each
   * push leaves a pack, and after about a thousand the manifest has no room for another. Then all
   * writes to the repository are refused until the packs are merged. Further calls do nothing.
   *
   * @throws IllegalStateException if the store was opened to be read
   */
  public void maintainInBackground() {
    if (store instanceof ReadOnlyObjectStore) {
      throw new IllegalStateException(store.location() + ": was opened read-only");
    }
    maintaining = true; // first: later repositories read it, earlier ones are known
    repositories.all().forEach(known -> known.maintain(maintenance));
  }

  /**
   * Maintenance of a repository: compaction, collection and sweep.
   *
   * @param name its name; a trailing {@code .git} is ignored
   * @return its maintenance, to be used while this manager is open
   * @throws RepositoryNotFoundException if there is none, or the name is not allowed
   * @throws IOException if its manifest cannot be read
   */
  public Maintenance maintenance(String name) throws IOException {
    try (S3Repository repository = openRepository(name)) {
      return repository.maintenance();
    }
  }

  /**
   * Deletes objects of a repository that no manifest lists.
   *
   * @param name its name; a trailing {@code .git} is ignored
   * @param grace as {@link Maintenance#sweep}
   * @param dryRun whether nothing is to be changed
   * @return what was deleted, or would be
   * @throws RepositoryNotFoundException if there is none, or the name is not allowed
   * @throws IOException as {@link Maintenance#sweep}
   */
  public Sweep.Report sweep(String name, Duration grace, boolean dryRun) throws IOException {
    return maintenance(name).sweep(grace, dryRun);
  }

  /**
   * Deletes objects of a repository that no manifest lists; all of one that was deleted, or that an
   * import has left.
   *
   * @param repositoryId its id
   * @param grace as {@link Maintenance#sweep} and {@link Maintenance#sweepNameless}
   * @param dryRun whether nothing is to be changed
   * @return what was deleted, or would be
   * @throws ManifestException.Gone if there is no repository of this id, and was none
   * @throws IOException as {@link Maintenance#sweep}
   */
  public Sweep.Report sweepById(String repositoryId, Duration grace, boolean dryRun)
      throws IOException {
    VersionedManifest found =
        ManifestFile.read(store, repositoryId)
            .orElseThrow(
                () ->
                    new ManifestException.Gone("there is no repository of the id " + repositoryId));
    Optional<RepositoryName> name = found.manifest().name();
    return name.isPresent()
        ? sweep(name.get().value(), grace, dryRun)
        : Maintenance.sweepNameless(store, found, grace, dryRun);
  }

  /**
   * A resolver for any JGit server. The server opens a repository for each request, and closes it
   * at the end of that request.
   *
   * <p>Packs of a push through such a handle are published in the same write as the refs, as by
   * {@link Purpose#push}. A pack that no ref of the request leads to is deleted when the handle is
   * closed. Objects that hooks fetch or insert are published as through any handle.
   *
   * <p>If a repository cannot be opened now, because the store does not answer, the resolver throws
   * a {@link ServiceMayNotContinueException} with HTTP status 503.
   *
   * @param <C> type of the server's connection
   * @return a resolver that opens existing repositories
   */
  public <C> RepositoryResolver<C> asResolver() {
    return (connection, name) -> {
      try {
        S3Repository repository = openRepository(name, Purpose.request());
        repository.getObjectDatabase().deferReceivedPacks();
        return repository;
      } catch (RepositoryNotFoundException e) {
        throw e;
      } catch (IOException e) {
        throw new ServiceMayNotContinueException(
            e.getMessage(), e, HttpURLConnection.HTTP_UNAVAILABLE);
      }
    };
  }

  /**
   * The store.
   *
   * @return the store all repositories are in
   */
  public ObjectStore store() {
    return store;
  }

  /**
   * Repositories in the making.
   *
   * @return imports, to be used while this manager is open
   */
  public Imports imports() {
    return new Imports(this, catalog);
  }

  /** The known repositories, for tests. */
  KnownRepositories repositories() {
    return repositories;
  }

  /**
   * Counters of manifests, commits, refs and logs.
   *
   * @return counters over all repositories of this manager
   */
  public Counters counters() {
    return counters;
  }

  /**
   * Repositories whose refs or log are due to be folded in the background, or are being folded.
   *
   * @return how many
   */
  public int foldBacklog() {
    return background.getQueue().size() + background.getActiveCount();
  }

  /**
   * Collections made in the background.
   *
   * @return counters over all repositories of this manager
   */
  public CollectionMetrics collectionMetrics() {
    return maintenance;
  }

  /**
   * Repositories with a step of pack compaction waiting or under way.
   *
   * @return how many
   */
  public int compactionBacklog() {
    return maintenance.compactionBacklog();
  }

  /**
   * Memory for refs between look-ups.
   *
   * @return the budget of all repositories of this manager
   */
  public MemoryUse tableBudget() {
    return tableBudget;
  }

  /**
   * Memory for repositories that are known, mostly their manifests.
   *
   * @return the budget of all repositories of this manager
   */
  public MemoryUse manifestBudget() {
    return repositories;
  }

  /**
   * Memory for pack indexes.
   *
   * @return the budget of all repositories of this manager
   */
  public MemoryUse indexBudget() {
    return packs.indexes();
  }

  /**
   * Memory for the objects of pushes and fetches.
   *
   * @return budget of all repositories of this manager
   */
  public MemoryUse receiveMemory() {
    return packs.limits();
  }

  /**
   * Uploads and their memory.
   *
   * @return uploads of all repositories of this manager
   */
  public Uploads uploads() {
    return packs.uploads();
  }

  /**
   * Settings given by the administrator.
   *
   * @return the settings of this manager
   */
  public S3Settings settings() {
    return settings;
  }

  /**
   * Stops background work, aborts open uploads, and closes the store. Open handles fail from then
   * on.
   */
  @Override
  public void close() throws IOException {
    store.endRetries();
    maintenance.close();
    background.shutdown();
    try {
      if (!background.awaitTermination(
          settings.commitDeadline().toMillis(), TimeUnit.MILLISECONDS)) {
        background.shutdownNow();
      }
    } catch (InterruptedException e) {
      background.shutdownNow();
      Thread.currentThread().interrupt();
    }
    packs.files().close();
    packs.uploads().close();
    store.close();
  }
}

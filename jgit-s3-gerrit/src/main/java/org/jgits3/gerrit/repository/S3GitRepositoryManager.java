// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.flogger.FluentLogger;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.Project;
import com.google.gerrit.entities.RefNames;
import com.google.gerrit.extensions.events.LifecycleListener;
import com.google.gerrit.metrics.MetricMaker;
import com.google.gerrit.server.config.AllUsersNameProvider;
import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.config.GerritServerConfig;
import com.google.gerrit.server.config.GerritServerId;
import com.google.gerrit.server.config.SitePaths;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.gerrit.server.git.RepositoryExistsException;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.RepositoryBuilder;
import org.eclipse.jgit.util.FileUtils;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.history.StoreHistory;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/**
 * The repositories of a Gerrit in a store.
 *
 * <p>Each request of Gerrit sees everything that any node wrote before the request began, and
 * everything that this Gerrit writes. It asks the store once for each project, however often it
 * opens the project. See {@link Requests} for work outside requests.
 *
 * <p>Safe for use by many threads.
 */
@Singleton
public final class S3GitRepositoryManager implements GitRepositoryManager, LifecycleListener {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();
  private static final int VALIDATORS = 32;

  private final SitePaths site;
  private final Config gerrit;
  private final GerritRuntime runtime;
  private final String serverId;
  private final StoreMetrics metrics;
  private final Requests requests = new Requests();
  private final AbsentProjects absent = new AbsentProjects();
  private final ProjectList projects = new ProjectList(this::repositories, requests);

  /** Threads that each validate a project ahead. There are few, as anyone may send requests. */
  private final ExecutorService validators =
      new ThreadPoolExecutor(
          0,
          VALIDATORS,
          1,
          TimeUnit.MINUTES,
          new SynchronousQueue<>(),
          new ThreadFactoryBuilder()
              .setDaemon(true)
              .setNameFormat("jgit-s3-validation-%d")
              .build());

  /** The repositories, null before the first use; changed under the lock of this. */
  private volatile S3RepositoryManager repositories;

  @Inject
  S3GitRepositoryManager(
      SitePaths site,
      @GerritServerConfig Config gerrit,
      GerritRuntime runtime,
      @GerritServerId String serverId,
      MetricMaker metrics) {
    this.site = site;
    this.gerrit = gerrit;
    this.runtime = runtime;
    this.serverId = serverId;
    this.metrics = new StoreMetrics(metrics, requests::failed);
  }

  /** The repositories of the library, for tests, too. */
  S3RepositoryManager repositories() {
    S3RepositoryManager opened = repositories;
    return opened == null ? open() : opened;
  }

  /** Opens the store on first use, because Gerrit has no log yet when it creates this object. */
  private synchronized S3RepositoryManager open() {
    if (repositories == null) {
      try {
        GerritLine.check();
        SiteSettings settings = SiteSettings.read(site, gerrit);
        repositories =
            withOwnServerId(
                S3RepositoryManager.open(
                    new ObservedObjectStore(open(settings), metrics), settings.settings()));
        metrics.show(repositories);
      } catch (IOException | ConfigInvalidException | RuntimeException e) {
        LOG.atSevere().log("The repositories cannot be used: %s", e.getMessage());
        throw new IllegalStateException("jgit-s3: " + e.getMessage(), e);
      }
      if (runtime == GerritRuntime.DAEMON) {
        repositories.maintainInBackground();
      } else {
        makePlaceholder();
      }
      LOG.atInfo().log("The repositories are in %s", repositories.store().location());
    }
    return repositories;
  }

  private S3RepositoryManager withOwnServerId(S3RepositoryManager opened)
      throws IOException, ConfigInvalidException {
    try {
      ServerIds.check(opened.store(), serverId);
      return opened;
    } catch (IOException | ConfigInvalidException | RuntimeException e) {
      try (opened) {
        throw e;
      }
    }
  }

  /**
   * Makes a directory of All-Users, which {@code init} wants to see on the local disk. The
   * directory has a ref of an account: if it had none, {@code init} would make the administrator of
   * {@code DEVELOPMENT_BECOME_ANY_ACCOUNT} there instead of in the store, and fail halfway. It gets
   * its name when it is complete. An empty directory, which Gerrit takes for one without a
   * repository, is replaced.
   */
  private void makePlaceholder() {
    String base = gerrit.getString("gerrit", null, "basePath");
    String users = gerrit.getString("gerrit", null, "allUsers");
    String name = (users == null ? AllUsersNameProvider.DEFAULT : users) + Constants.DOT_GIT_EXT;
    Path directory = site.resolve(base == null ? "git" : base).resolve(name);
    if (isInUse(directory)) {
      return;
    }
    Path unfinished = directory.resolveSibling(name + ".unfinished");
    try {
      FileUtils.delete(unfinished.toFile(), FileUtils.RECURSIVE | FileUtils.SKIP_MISSING);
      makePlaceholder(unfinished);
      Files.deleteIfExists(directory);
      Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.atWarning().log("%s was not made, so 'init' fails: %s", directory, e.getMessage());
    }
  }

  /** Tests whether a directory has files, or cannot be read. */
  private static boolean isInUse(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isPresent();
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static void makePlaceholder(Path directory) throws IOException {
    try (Repository placeholder =
            new RepositoryBuilder().setGitDir(directory.toFile()).setBare().build();
        ObjectInserter objects = placeholder.newObjectInserter()) {
      placeholder.create(true);
      RefUpdate account = placeholder.updateRef(RefNames.refsUsers(Account.id(1)));
      account.setNewObjectId(
          objects.insert(Constants.OBJ_BLOB, "The accounts are in the bucket.\n".getBytes(UTF_8)));
      objects.flush();
      if (account.update() != RefUpdate.Result.NEW) {
        throw new IOException(account.getName() + ": " + account.getResult());
      }
    }
  }

  /** History of all repositories, for the follower. */
  public StoreHistory history() {
    return repositories().storeHistory();
  }

  /**
   * Does work in the calling thread that accepts refs read by this process since a moment, so that
   * requests which the work makes do not read projects again. A project that was missing is always
   * looked up again.
   *
   * @param moment reading of {@link System#nanoTime}
   * @param work the work
   * @return its result
   * @throws Exception that of the work
   */
  public <T> T since(long moment, Callable<T> work) throws Exception {
    return requests.since(moment, work);
  }

  /** The store that all Gerrits on it share. */
  public ObjectStore store() {
    return repositories().store();
  }

  /**
   * Begins an HTTP request. The project that it names is validated while Gerrit looks for the user,
   * which takes another request to the store.
   *
   * @param project the project, if it names one
   * @return the request, to be {@linkplain #enter entered}
   */
  public GerritRequest begin(Optional<Project.NameKey> project) {
    S3RepositoryManager manager = repositories();
    GerritRequest request = new GerritRequest();
    project
        .flatMap(ProjectNames::repository)
        .map(RepositoryName::value)
        .ifPresent(name -> validateAhead(name, request));
    return request;
  }

  private void validateAhead(String name, GerritRequest request) {
    try {
      request.begun(name, validators.submit(() -> validate(name, request)));
    } catch (RejectedExecutionException e) {
      LOG.atFine().log("%s is validated when it is opened", name);
    }
  }

  private Void validate(String name, GerritRequest request) throws IOException {
    repositories().openRepository(name, Purpose.request(request.moment())).close();
    return null;
  }

  /**
   * Notes that the calling thread serves an HTTP request, until it calls {@link #leave}. Everything
   * that Gerrit does for it counts as one request, even if it enters again with another thread and
   * context.
   *
   * @param request the request
   */
  public void enter(GerritRequest request) {
    requests.enter(request);
  }

  /** Notes that the calling thread serves its HTTP request no longer. */
  public void leave() {
    requests.leave();
  }

  /**
   * Notes that something could not be read for the request of the calling thread, so that a refusal
   * is none that a client may rely on.
   */
  public void doubt() {
    requests.doubt();
  }

  private static ObjectStore open(SiteSettings site) throws IOException {
    S3Settings settings = site.settings();
    if (site.credentials().isPresent()
        && settings.location() instanceof StoreLocation.Bucket bucket) {
      StaticCredentialsProvider credentials =
          StaticCredentialsProvider.create(site.credentials().get());
      return Stores.open(
          bucket, settings.options(), client -> client.credentialsProvider(credentials));
    }
    return Stores.open(settings.location(), settings.options());
  }

  @Override
  public void start() {
    repositories();
  }

  @Override
  public synchronized void stop() {
    validators.shutdown();
    if (repositories == null) {
      return;
    }
    try {
      repositories.close();
    } catch (IOException e) {
      LOG.atWarning().withCause(e).log("The repositories were not closed");
    }
  }

  @Override
  public Status getRepositoryStatus(Project.NameKey name) {
    try {
      openRepository(name).close();
      return Status.ACTIVE;
    } catch (RepositoryNotFoundException e) {
      return Status.NON_EXISTENT;
    } catch (IOException e) {
      LOG.atWarning().withCause(e).log("%s cannot be opened", name);
      return Status.UNAVAILABLE;
    }
  }

  @Override
  public Repository openRepository(Project.NameKey name) throws IOException {
    S3RepositoryManager manager = repositories(); // first, since it refuses other Gerrits
    String checked = checked(name);
    long moment = requests.moment();
    Optional<GerritRequest> request = requests.current();
    if (request.isPresent() && absent.has(name, moment)) {
      throw new RepositoryNotFoundException(name.get());
    }
    AbsentProjects.Search search = absent.search();
    request.ifPresent(its -> its.await(checked));
    try {
      S3Repository opened = manager.openRepository(checked, Purpose.request(moment));
      opened.getObjectDatabase().deferReceivedPacks();
      opened.getObjectDatabase().deferInsertedPacks();
      request.ifPresent(its -> its.opened(checked, opened));
      return opened;
    } catch (RepositoryNotFoundException e) {
      absent.add(name, search);
      throw missing(name, e);
    } catch (IOException e) {
      request.ifPresent(GerritRequest::fail);
      throw e;
    }
  }

  /**
   * Makes an exception without a cause: by the root cause Gerrit tells a project that does not
   * exist from one that cannot be read.
   */
  private static RepositoryNotFoundException missing(Project.NameKey name, Exception reason) {
    RepositoryNotFoundException missing = new RepositoryNotFoundException(name.get());
    missing.addSuppressed(reason);
    return missing;
  }

  @Override
  public Repository createRepository(Project.NameKey name) throws IOException {
    try {
      repositories().createRepository(checked(name)).close();
    } catch (ManifestException.Exists e) {
      throw new RepositoryExistsException(name);
    }
    projects.changed();
    absent.changed();
    return openRepository(name);
  }

  /** Deletes a project. Indexes and caches follow it later. */
  public void delete(Project.NameKey name) throws IOException {
    repositories().delete(checked(name));
    projects.changed();
  }

  /** Gives a project another name. Indexes and caches follow it later. */
  public void rename(Project.NameKey from, Project.NameKey to) throws IOException {
    repositories().rename(checked(from), checked(to));
    projects.changed();
    absent.changed();
  }

  /** Tests whether the calling thread works for a request of a user. */
  public boolean isInRequest() {
    return requests.isOfUser();
  }

  /**
   * Tests whether a request of a user may find a project although an earlier one did not: unless it
   * has looked for the project itself, in the store.
   */
  public boolean mayHaveAppeared(Project.NameKey name) {
    return isInRequest()
        && ProjectNames.repository(name).isPresent()
        && !absent.has(name, requests.moment());
  }

  private static String checked(Project.NameKey name) throws RepositoryNotFoundException {
    return ProjectNames.repository(name)
        .orElseThrow(() -> new RepositoryNotFoundException("Invalid name: " + name))
        .value();
  }

  @Override
  public NavigableSet<Project.NameKey> list() {
    return projects.get();
  }

  @Override
  public Boolean canPerformGC() {
    return true;
  }

  @Override
  public void repositoryDeleted(Project.NameKey name) {
    projects.changed();
  }
}

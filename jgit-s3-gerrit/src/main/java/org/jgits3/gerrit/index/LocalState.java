// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.common.cache.Cache;
import com.google.common.flogger.FluentLogger;
import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.BranchNameKey;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.entities.RefNames;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.extensions.registration.DynamicMap;
import com.google.gerrit.extensions.registration.PluginName;
import com.google.gerrit.server.account.AccountCache;
import com.google.gerrit.server.account.AccountState;
import com.google.gerrit.server.account.AuthTokenCache;
import com.google.gerrit.server.change.MergeabilityComputationBehavior;
import com.google.gerrit.server.config.AllUsersName;
import com.google.gerrit.server.config.GerritServerConfig;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.gerrit.server.index.account.AccountIndexer;
import com.google.gerrit.server.index.change.ChangeIndexer;
import com.google.gerrit.server.project.ProjectCache;
import com.google.gerrit.server.query.change.ChangeData;
import com.google.gerrit.server.query.change.InternalChangeQuery;
import com.google.gerrit.server.ssh.SshKeyCache;
import com.google.gerrit.server.util.ManualRequestContext;
import com.google.gerrit.server.util.OneOffRequestContext;
import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.store.StoreException;

/**
 * Indexes and caches of this Gerrit. Brings them up to date with the repositories, whichever node
 * has changed these.
 *
 * <p>Rights rest on caches, which are {@linkplain #evict evicted} at once: that reads no document
 * and writes none, so nothing that a user writes can delay it or make it fail. Documents of the
 * indexes {@linkplain #follow follow} by themselves. Each is written only if it does not match the
 * current refs, so that nothing that this node has indexed itself is indexed again. One that cannot
 * be written is left as it is, and holds up no other.
 *
 * <p>The groups of a member are the exception, since Gerrit caches what it finds in the index of
 * groups. See {@link GroupDocuments}.
 *
 * <p>All methods are idempotent. Safe for use by many threads.
 */
@Singleton
public class LocalState {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  private static final ObjectId ZERO = ObjectId.zeroId();

  /** Maximum number of causes of a failure that are looked at. */
  private static final int CAUSES = 100;

  /** Cache of SSH keys, by user names. */
  static final String SSH_KEYS = "sshkeys";

  /** Caches of groups, some of which have no id of a group in their keys. */
  static final List<String> GROUPS =
      List.of(
          "groups",
          "groups_bymember",
          "groups_byname",
          "groups_bysubgroup",
          "groups_byuuid",
          "groups_external");

  private final GitRepositoryManager repositories;
  private final OneOffRequestContext context;
  private final AllUsersName allUsers;
  private final ChangeIndexer changes;
  private final com.google.gerrit.server.index.change.StalenessChecker changeIsStale;
  private final Provider<InternalChangeQuery> changesFound;
  private final boolean indexesMergeable;
  private final Provider<AccountIndexer> accounts;
  private final com.google.gerrit.server.index.account.StalenessChecker accountIsStale;
  private final GroupDocuments groups;
  private final com.google.gerrit.server.index.group.StalenessChecker groupIsStale;
  private final GroupCaches groupCaches;
  private final AccountCache accountStates;
  private final ProjectCache projects;
  private final SshKeyCache sshKeys;
  private final AuthTokenCache tokens;
  private final DynamicMap<Cache<?, ?>> caches;
  private final Documents documents;
  private final IndexedHere indexedHere;
  private final LongAdder indexed = new LongAdder();

  @Inject
  public LocalState(
      @GerritServerConfig Config config,
      GitRepositoryManager repositories,
      OneOffRequestContext context,
      AllUsersName allUsers,
      ChangeIndexer changes,
      com.google.gerrit.server.index.change.StalenessChecker changeIsStale,
      Provider<InternalChangeQuery> changesFound,
      Provider<AccountIndexer> accounts,
      com.google.gerrit.server.index.account.StalenessChecker accountIsStale,
      GroupDocuments groups,
      com.google.gerrit.server.index.group.StalenessChecker groupIsStale,
      GroupCaches groupCaches,
      AccountCache accountStates,
      ProjectCache projects,
      SshKeyCache sshKeys,
      AuthTokenCache tokens,
      DynamicMap<Cache<?, ?>> caches,
      Documents documents,
      IndexedHere indexedHere) {
    this.repositories = repositories;
    this.context = context;
    this.allUsers = allUsers;
    this.changes = changes;
    this.changeIsStale = changeIsStale;
    this.changesFound = changesFound;
    this.indexesMergeable = MergeabilityComputationBehavior.fromConfig(config).includeInIndex();
    this.accounts = accounts;
    this.accountIsStale = accountIsStale;
    this.groups = groups;
    this.groupIsStale = groupIsStale;
    this.groupCaches = groupCaches;
    this.accountStates = accountStates;
    this.projects = projects;
    this.sshKeys = sshKeys;
    this.tokens = tokens;
    this.caches = caches;
    this.documents = documents;
    this.indexedHere = indexedHere;
  }

  /** Documents of changes, accounts and groups that were written, because they were stale. */
  public long indexed() {
    return indexed.sum();
  }

  /** Projects that the index has, including those that are gone. */
  public Set<Project.NameKey> indexedProjects() {
    return documents.projects();
  }

  /** Tests whether the store is the cause of a failure: it does not answer, or refuses. */
  public static boolean isOfStore(Throwable e) {
    int most = CAUSES; // a plugin may make a loop of them
    for (Throwable cause = e; cause != null && most > 0; cause = cause.getCause(), most--) {
      if (cause instanceof StoreException.Unavailable || cause instanceof StoreException.Refused) {
        return true;
      }
    }
    return false;
  }

  /**
   * Evicts what caches have of a project, as far as rights depend on it. Opens the project first,
   * so that whatever a cache loads from here on is as new as this; evicts even if that fails.
   *
   * @param project the project, which may be deleted or new
   * @param effects what happened to it
   * @throws IOException if the project cannot be opened
   */
  @SuppressWarnings("try") // the context is that of the thread
  public void evict(Project.NameKey project, Collection<Effect> effects) throws IOException {
    try (ManualRequestContext ignored = context.open()) {
      try {
        repositories.openRepository(project).close();
      } catch (RepositoryNotFoundException e) {
        // A cache that loads it sees that, too.
      } finally {
        effects.forEach(effect -> evict(project, effect));
      }
      for (Effect effect : effects) {
        if (effect instanceof Effect.OfAccount account) {
          evictSshKeys(account.id());
        }
      }
    }
  }

  private void evict(Project.NameKey project, Effect effect) {
    switch (effect) {
      case Effect.OfProject all -> {
        projects.evict(project);
        if (project.equals(allUsers)) {
          flush("tokens");
          flush(SSH_KEYS);
          GROUPS.forEach(this::flush);
        }
      }
      case Effect.OfConfig config -> projects.evict(project);
      case Effect.OfAccount account -> {
        tokens.evict(account.id());
        flush(SSH_KEYS);
      }
      case Effect.OfExternalIds ids -> flush(SSH_KEYS);
      case Effect.OfGroup group -> GROUPS.forEach(this::flush);
      case Effect.OfChange change -> {}
      case Effect.OfBranch branch -> {}
    }
  }

  /**
   * Evicts the SSH keys of one account. Unlike the flush before, that waits for a login that is
   * just loading them; but it has to read the name of the user.
   */
  private void evictSshKeys(Account.Id account) {
    try {
      accountStates.get(account).flatMap(AccountState::userName).ifPresent(sshKeys::evict);
    } catch (RuntimeException e) {
      LOG.atFine().withCause(e).log("The user name of account %s cannot be read", account);
    }
  }

  private void flush(String name) {
    Cache<?, ?> cache = caches.get(PluginName.GERRIT, name);
    if (cache != null) {
      cache.invalidateAll();
    }
  }

  /**
   * Result of following effects. The others are up to date.
   *
   * @param found further effects to be followed
   * @param failed effects that could not be followed, with the reasons, in the order in which they
   *     are to be tried again
   */
  public record Followed(Set<Effect> found, Map<Effect, Throwable> failed) {
    /** Creates an empty result, to be filled. */
    public Followed() {
      this(new LinkedHashSet<>(), new LinkedHashMap<>());
    }
  }

  /**
   * Brings documents of a project up to date. One that fails holds up no other.
   *
   * @param project the project, which may be deleted or new
   * @param effects what is to be followed; {@link Effect.OfProject} only by itself, and while no
   *     other thread follows the project
   * @return what was found and what failed
   * @throws IOException if the project cannot be opened, so that nothing was followed
   */
  @SuppressWarnings("try") // the context is that of the thread
  public Followed follow(Project.NameKey project, Collection<Effect> effects) throws IOException {
    Followed result = new Followed();
    try (ManualRequestContext ignored = context.open();
        Repository repository = repositories.openRepository(project)) {
      follow(project, repository, effects, result);
    } catch (RepositoryNotFoundException e) {
      if (!effects.contains(new Effect.OfProject())) {
        result.found().add(new Effect.OfProject());
        return result;
      }
      removed(project);
    }
    return result;
  }

  private void follow(
      Project.NameKey project, Repository repository, Collection<Effect> effects, Followed result) {
    if (!projects.all().contains(project)) {
      take(new Effect.OfConfig(), result, () -> projects.onCreateProject(project));
      LOG.atInfo().log("Following: %s is new", project);
    }
    for (Effect effect : effects) {
      take(effect, result, () -> follow(project, repository, effect, result.found()));
      if (result.failed().containsKey(effect) && isOfStore(result.failed().get(effect))) {
        leave(effects, effect, result);
        break;
      }
    }
    // What was found in an index that was still stale.
    List<Effect.OfGroup> ofGroups =
        effects.stream()
            .filter(Effect.OfGroup.class::isInstance)
            .map(Effect.OfGroup.class::cast)
            .toList();
    if (!ofGroups.isEmpty()) {
      GROUPS.forEach(this::flush);
      ofGroups.forEach(group -> take(group, result, () -> evictFound(group)));
    }
    if (effects.stream().anyMatch(Effect.OfChange.class::isInstance)) {
      forgetChanges(project);
    }
  }

  private static void take(Effect effect, Followed result, IoRunnable step) {
    try {
      step.run();
    } catch (IOException | RuntimeException | Error e) {
      result.failed().put(effect, e);
    }
  }

  /**
   * Leaves the effects after one that the store failed, since it would delay each of them, too.
   * They come first when all are tried again, so one that the store always fails holds up no other.
   */
  private static void leave(Collection<Effect> effects, Effect failed, Followed result) {
    Throwable reason = result.failed().remove(failed);
    effects.stream()
        .dropWhile(effect -> !effect.equals(failed))
        .skip(1)
        .forEach(effect -> result.failed().put(effect, reason));
    result.failed().put(failed, reason);
  }

  /** Removes a project that is gone from the indexes and caches. */
  public void removed(Project.NameKey project) {
    if (projects.all().contains(project)) {
      LOG.atInfo().log("Following: %s is gone", project);
    }
    changes.deleteAllForProject(project);
    projects.remove(project);
    flush("changeid_project"); // the project may have another name now
  }

  private void follow(
      Project.NameKey project, Repository repository, Effect effect, Set<Effect> found)
      throws IOException {
    switch (effect) {
      case Effect.OfProject all -> compare(project, repository, found);
      case Effect.OfChange change -> followChange(project, repository, change);
      case Effect.OfConfig config -> {
        projects.evictAndReindex(project);
        if (indexesMergeable) {
          indexAll(project, changesFound.get().byProjectOpen(project));
        }
      }
      case Effect.OfBranch branch -> {
        if (indexesMergeable) {
          BranchNameKey key = BranchNameKey.create(project, branch.name());
          indexAll(project, changesFound.get().byBranchNew(key));
        }
      }
      case Effect.OfAccount account -> followAccount(account);
      case Effect.OfGroup group -> followGroup(group);
      case Effect.OfExternalIds ids -> followExternalIds(repository, ids, found);
    }
  }

  /**
   * Indexes changes again. Mergeability is stored in no ref, so a document cannot be tested for
   * being stale. A change that cannot be indexed keeps its document.
   */
  private void indexAll(Project.NameKey project, List<ChangeData> all) {
    for (ChangeData change : all) {
      try {
        changes.index(project, change.getId());
        indexed.increment();
      } catch (RuntimeException e) {
        if (isOfStore(e)) {
          throw e;
        }
        LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).withCause(e).log(
            "Following: whether change %s of %s can be merged is not known",
            change.getId(), project);
      }
    }
  }

  private void followAccount(Effect.OfAccount account) throws IOException {
    indexedHere.follows(account, allUsers);
    if (accountIsStale.check(account.id()).isStale()) {
      accounts.get().index(account.id());
      indexed.increment();
    }
  }

  private void evictFound(Effect.OfGroup group) {
    try {
      groupCaches.evictFound(group);
    } catch (RuntimeException e) {
      if (isOfStore(e)) {
        throw e;
      }
      LOG.atFine().withCause(e).log("A state of %s cannot be read", group);
    }
  }

  private void followGroup(Effect.OfGroup group) throws IOException {
    indexedHere.follows(group.document(), allUsers);
    if (groupIsStale.check(group.group()).isStale()) {
      groups.write(group.group());
      indexed.increment();
      if (groupIsStale.check(group.group()).isStale()) { // Gerrit takes it for deleted
        throw new StorageException(group + " cannot be read");
      }
    }
  }

  /** Finds the accounts whose external ids differ; if they cannot be compared, all accounts. */
  private void followExternalIds(Repository users, Effect.OfExternalIds ids, Set<Effect> found)
      throws IOException {
    try {
      ExternalIdChanges.between(users, ids.before(), ids.after())
          .forEach(account -> found.add(new Effect.OfAccount(account)));
    } catch (IOException | RuntimeException e) {
      if (isOfStore(e)) {
        throw e;
      }
      LOG.atWarning().log("Following: %s cannot be read, all accounts are compared: %s", ids, e);
      found.add(new Effect.OfProject());
    }
  }

  private void compare(Project.NameKey project, Repository repository, Set<Effect> found)
      throws IOException {
    evict(project, new Effect.OfProject());
    found.add(new Effect.OfConfig());
    addRefs(project, repository, RefNames.REFS_CHANGES, found);
    for (ChangeData change : changesFound.get().noFields().byProject(project)) {
      found.add(new Effect.OfChange(change.getId()));
    }
    if (project.equals(allUsers)) {
      addRefs(project, repository, RefNames.REFS_USERS, found);
      documents.accounts().forEach(account -> found.add(new Effect.OfAccount(account)));
      addRefs(project, repository, RefNames.REFS_GROUPS, found);
      documents.groups().forEach(group -> found.add(Effect.OfGroup.of(group)));
    }
  }

  private void addRefs(
      Project.NameKey project, Repository repository, String prefix, Set<Effect> found)
      throws IOException {
    for (Ref ref : repository.getRefDatabase().getRefsByPrefix(prefix)) {
      Effect.of(project.get(), project.equals(allUsers), ref.getName(), ZERO, ZERO)
          .ifPresent(found::add);
    }
  }

  /** Writes the document of a change if it is stale, or deletes it if the change is gone. */
  private void followChange(Project.NameKey project, Repository repository, Effect.OfChange change)
      throws IOException {
    indexedHere.follows(change, project);
    if (repository.exactRef(RefNames.changeMetaRef(change.id())) == null) {
      delete(project, change.id());
    } else if (changeIsStale.check(change.id()).isStale()) {
      changes.index(project, change.id());
      indexed.increment();
    }
  }

  /** Deletes the document of a change, unless the change is in another project by now. */
  private void delete(Project.NameKey project, Change.Id id) {
    if (changesFound.get().byLegacyChangeId(id).stream()
        .allMatch(document -> document.project().equals(project))) {
      changes.delete(id);
    }
  }

  /** Invalidates the cached changes of a project, if the site has turned that cache on. */
  @SuppressWarnings("unchecked")
  private void forgetChanges(Project.NameKey project) {
    Cache<Object, ?> cache = (Cache<Object, ?>) caches.get(PluginName.GERRIT, "changes");
    if (cache != null) {
      cache.invalidate(project);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.common.base.Throwables;
import com.google.common.cache.Cache;
import com.google.common.flogger.FluentLogger;
import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.AccountGroup;
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
import com.google.gerrit.server.index.group.GroupIndexer;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.store.StoreException;

/**
 * Indexes and caches of this Gerrit. Brings them up to date with the repositories, whichever node
 * has changed these.
 *
 * <p>A document is written only if it does not match the current refs, so that nothing that this
 * node has indexed itself is indexed again. All methods are idempotent. Safe for use by many
 * threads, one for each project or change.
 */
@Singleton
public class LocalState {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /** Caches that depend on refs and do not have their ids in the key. */
  private static final List<String> CACHES =
      List.of(
          "changes",
          "groups",
          "groups_bymember",
          "groups_byname",
          "groups_bysubgroup",
          "groups_byuuid",
          "groups_external",
          "sshkeys",
          "tokens");

  /** Rounds after which a change that cannot be indexed is given up. */
  static final int ATTEMPTS = 50;

  private final GitRepositoryManager repositories;
  private final OneOffRequestContext context;
  private final AllUsersName allUsers;
  private final ChangeIndexer changes;
  private final com.google.gerrit.server.index.change.StalenessChecker changeIsStale;
  private final Provider<InternalChangeQuery> changesFound;
  private final boolean indexesMergeable;
  private final Provider<AccountIndexer> accounts;
  private final com.google.gerrit.server.index.account.StalenessChecker accountIsStale;
  private final Provider<GroupIndexer> groups;
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
  private final Map<Change.Id, Integer> failures = new ConcurrentHashMap<>();

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
      Provider<GroupIndexer> groups,
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

  /**
   * Brings everything about a project up to date, except its changes, which may be many.
   *
   * @param project the project, which may be deleted or new
   * @param news what happened to it
   * @param found receives changes to be given to {@link #followChanges}, even if something fails
   * @throws IOException if a repository cannot be read
   */
  @SuppressWarnings("try") // the context is that of the thread
  public void follow(Project.NameKey project, News news, Set<Change.Id> found) throws IOException {
    if (news.isOnlyChanges() && projects.all().contains(project)) {
      found.addAll(news.changes());
      return;
    }
    // Opened first, and within the context: whatever a cache loads from here on is as new as this.
    try (ManualRequestContext ignored = context.open();
        Repository repository = repositories.openRepository(project)) {
      if (!projects.all().contains(project)) {
        projects.onCreateProject(project);
        LOG.atInfo().log("Following: %s is new", project);
      } else if (news.whole()) {
        projects.evictAndReindex(project);
      }
      Steps steps = new Steps();
      if (news.whole()) {
        compare(project, repository, found, steps);
      }
      for (Effect effect : news.effects()) {
        steps.take(() -> follow(project, repository, effect, found));
      }
      steps.end();
    } catch (RepositoryNotFoundException e) {
      removed(project);
    }
  }

  /** Removes a project that is gone from the indexes and caches. */
  public void removed(Project.NameKey project) {
    if (projects.all().contains(project)) {
      LOG.atInfo().log("Following: %s is gone", project);
    }
    changes.deleteAllForProject(project);
    projects.remove(project);
    Cache<?, ?> projectsOfChanges = caches.get(PluginName.GERRIT, "changeid_project");
    if (projectsOfChanges != null) {
      projectsOfChanges.invalidateAll(); // the project may have another name now
    }
  }

  private void follow(
      Project.NameKey project, Repository repository, Effect effect, Set<Change.Id> found)
      throws IOException {
    switch (effect) {
      case Effect.OfChange change -> found.add(change.id());
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
      case Effect.OfAccount account -> followAccount(account.id());
      case Effect.OfGroup group -> followGroup(group);
      case Effect.OfExternalIds ids -> {
        ExternalIdChanges differ = ExternalIdChanges.between(repository, ids.before(), ids.after());
        differ.users().forEach(sshKeys::evict);
        Steps steps = new Steps();
        for (Account.Id account : differ.accounts()) {
          steps.take(() -> followAccount(account));
        }
        steps.end();
      }
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
        LOG.atWarning().withCause(e).log(
            "Following: whether change %s of %s can be merged is not known",
            change.getId(), project);
      }
    }
  }

  private void followAccount(Account.Id id) throws IOException {
    indexedHere.follows(new Effect.OfAccount(id), allUsers);
    tokens.evict(id);
    accountStates.get(id).flatMap(AccountState::userName).ifPresent(sshKeys::evict);
    if (accountIsStale.check(id).isStale()) {
      accounts.get().index(id);
      indexed.increment();
    }
  }

  private void followGroup(Effect.OfGroup change) throws IOException {
    try {
      followGroup(change.group());
    } finally {
      forgetFound(change);
    }
  }

  private void forgetFound(Effect.OfGroup change) {
    try {
      groupCaches.forgetFound(change);
    } catch (RuntimeException e) {
      if (isOfStore(e)) {
        throw e;
      }
      flushCaches(); // the members are unknown if a state cannot be read
    }
  }

  private void followGroup(AccountGroup.UUID group) throws IOException {
    indexedHere.follows(Effect.OfGroup.same(group), allUsers);
    groupCaches.forget(group);
    if (groupIsStale.check(group).isStale()) {
      groups.get().index(group);
      indexed.increment();
      if (groupIsStale.check(group).isStale()) { // Gerrit takes it for deleted
        throw new StorageException("group " + group + " cannot be read");
      }
    }
  }

  private void compare(
      Project.NameKey project, Repository repository, Set<Change.Id> found, Steps steps)
      throws IOException {
    for (Ref ref : repository.getRefDatabase().getRefsByPrefix(RefNames.REFS_CHANGES)) {
      Change.Id id = Change.Id.fromRef(ref.getName());
      if (id != null) {
        found.add(id);
      }
    }
    for (ChangeData change : changesFound.get().noFields().byProject(project)) {
      found.add(change.getId());
    }
    if (project.equals(allUsers)) {
      flushCaches();
      comparePeople(repository, steps);
      flushCaches(); // entries found while the index was still stale
    }
  }

  private void comparePeople(Repository users, Steps steps) throws IOException {
    Set<Account.Id> accountIds = documents.accounts();
    for (Ref ref : users.getRefDatabase().getRefsByPrefix(RefNames.REFS_USERS)) {
      Account.Id id = Account.Id.fromRef(ref.getName());
      if (id != null && !RefNames.isRefsEdit(ref.getName())) {
        accountIds.add(id);
      }
    }
    for (Account.Id id : accountIds) {
      steps.take(() -> followAccount(id));
    }
    Set<AccountGroup.UUID> groupIds = documents.groups();
    for (Ref ref : users.getRefDatabase().getRefsByPrefix(RefNames.REFS_GROUPS)) {
      AccountGroup.UUID group = AccountGroup.UUID.fromRef(ref.getName());
      if (group != null) {
        groupIds.add(group);
      }
    }
    for (AccountGroup.UUID group : groupIds) {
      steps.take(() -> followGroup(group));
    }
  }

  private void flushCaches() {
    for (String name : CACHES) {
      Cache<?, ?> cache = caches.get(PluginName.GERRIT, name);
      if (cache != null) {
        cache.invalidateAll();
      }
    }
  }

  /** Tests whether the store is the cause of a failure: it does not answer, or refuses. */
  static boolean isOfStore(Exception e) {
    return Throwables.getCausalChain(e).stream()
        .anyMatch(
            cause ->
                cause instanceof StoreException.Unavailable
                    || cause instanceof StoreException.Refused);
  }

  /** Writes the document of a change if it is stale, or deletes it if the change is gone. */
  private void followChange(Project.NameKey project, Repository repository, Change.Id id)
      throws IOException {
    indexedHere.follows(new Effect.OfChange(id), project);
    if (repository.exactRef(RefNames.changeMetaRef(id)) == null) {
      delete(project, id);
    } else if (changeIsStale.check(id).isStale()) {
      changes.index(project, id);
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

  /**
   * Brings changes up to date, in one request of Gerrit. A change that fails does not hold up the
   * others; one that keeps failing is given up, unless it is the project that cannot be opened.
   *
   * @param project the project
   * @param ids the changes
   * @throws IOException if some failed and are to be tried again
   */
  @SuppressWarnings("try") // the context is that of the thread
  public void followChanges(Project.NameKey project, Collection<Change.Id> ids) throws IOException {
    IOException failed = null;
    try (ManualRequestContext ignored = context.open();
        Repository repository = repositories.openRepository(project)) {
      for (Change.Id id : ids) {
        try {
          followChange(project, repository, id);
          failures.remove(id);
        } catch (IOException | RuntimeException e) {
          if (isToBeTriedAgain(project, id, e)) {
            failed = failed == null ? new IOException("change " + id, e) : failed;
          }
        }
      }
    } catch (RepositoryNotFoundException e) {
      changes.deleteAllForProject(project);
    }
    forgetChanges(project);
    if (failed != null) {
      throw failed;
    }
  }

  private boolean isToBeTriedAgain(Project.NameKey project, Change.Id id, Exception e) {
    if (isOfStore(e) || failures.merge(id, 1, Integer::sum) < ATTEMPTS) {
      return true;
    }
    failures.remove(id);
    LOG.atSevere().withCause(e).log(
        "Following: change %s of %s cannot be indexed and is left as it is; try 'gerrit index"
            + " changes %s' when the cause is mended",
        id, project, id);
    return false;
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

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.project;

import com.google.common.collect.ImmutableSortedSet;
import com.google.gerrit.entities.Project;
import com.google.gerrit.entities.ProjectUtil;
import com.google.gerrit.entities.RefNames;
import com.google.gerrit.extensions.restapi.IdString;
import com.google.gerrit.server.config.AllProjectsName;
import com.google.gerrit.server.config.AllUsersName;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.gerrit.server.project.ProjectCache;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.IOException;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.store.StoreException;

/**
 * Projects as requests of users see them: those that were in the store when the request began,
 * whichever node has made, moved, deleted or configured them. Gerrit's cache keeps names and
 * projects until the follower tells it otherwise, so what requests ask of it is intercepted:
 *
 * <ul>
 *   <li>Names of all projects are those in the store. A request lists them once, and requests that
 *       wait for a listing share it.
 *   <li>A project that the cache takes for missing is loaded again, unless this very request has
 *       looked it up in the store. So an entry for a missing project is never the last word.
 *   <li>If a REST request names a project in its path or body, the entry is compared with the store
 *       first, and removed if the project is gone or {@code refs/meta/config} is another one. For
 *       that the request validates the project, which it does once in all, however often it opens
 *       the project later. An entry that is loaded after that is as new, because no open of this
 *       process sees refs older than those that the process has read before.
 * </ul>
 *
 * <p>The state of a project that a request meets otherwise, such as a parent, or one in the result
 * of a query, is as new as the follower has made it: to validate each would take a request to the
 * store for each. So is that of {@code All-Projects} and {@code All-Users}, which cannot be moved
 * or deleted. Work outside requests of users sees the cache as it is, above all the follower.
 *
 * <p>Safe for use by many threads.
 */
@Singleton
class ProjectsOfRequest {
  private final S3GitRepositoryManager repositories;
  private final AllProjectsName allProjects;
  private final AllUsersName allUsers;
  private final ProjectCache cache;

  @Inject
  ProjectsOfRequest(
      GitRepositoryManager repositories,
      AllProjectsName allProjects,
      AllUsersName allUsers,
      ProjectCache cache) {
    this.repositories = (S3GitRepositoryManager) repositories;
    this.allProjects = allProjects;
    this.allUsers = allUsers;
    this.cache = cache;
  }

  /** In place of {@link ProjectCache#all}. */
  Object all(MethodInvocation call) throws Throwable {
    return repositories.isInRequest() ? listed() : call.proceed();
  }

  /** In place of {@link ProjectCache#byName}, which finds projects by the beginning of a name. */
  Object byName(MethodInvocation call) throws Throwable {
    if (!repositories.isInRequest()) {
      return call.proceed();
    }
    String prefix = (String) call.getArguments()[0];
    return listed().subSet(Project.nameKey(prefix), Project.nameKey(prefix + Character.MAX_VALUE));
  }

  private ImmutableSortedSet<Project.NameKey> listed() {
    return ImmutableSortedSet.copyOf(repositories.list());
  }

  /** In place of {@link ProjectCache#get}. */
  Object get(MethodInvocation call) throws Throwable {
    Optional<?> found = (Optional<?>) call.proceed();
    Project.NameKey name = (Project.NameKey) call.getArguments()[0];
    if (found.isPresent() || name == null || !repositories.mayHaveAppeared(name)) {
      return found;
    }
    cache.evict(name);
    return call.proceed();
  }

  /** Before a method of Gerrit that finds the project that a REST request names. */
  Object parse(MethodInvocation call) throws Throwable {
    Object[] arguments = call.getArguments();
    String id = arguments[0] instanceof String text ? text : ((IdString) arguments[1]).get();
    Project.NameKey name = Project.nameKey(ProjectUtil.sanitizeProjectName(id));
    if (!name.equals(allProjects) && !name.equals(allUsers)) {
      compare(name);
    }
    return call.proceed();
  }

  private void compare(Project.NameKey name) throws StoreException.Unavailable {
    try (Repository repository = repositories.openRepository(name)) {
      Optional<ObjectId> newest =
          Optional.ofNullable(repository.exactRef(RefNames.REFS_CONFIG)).map(Ref::getObjectId);
      if (!cache.get(name).flatMap(its -> its.getConfig().getRevision()).equals(newest)) {
        cache.evict(name);
      }
    } catch (RepositoryNotFoundException e) {
      cache.evict(name);
    } catch (StoreException.Unavailable e) {
      throw e; // the request would only wait as long again
    } catch (IOException e) {
      return; // a damaged project may be deleted
    }
  }
}

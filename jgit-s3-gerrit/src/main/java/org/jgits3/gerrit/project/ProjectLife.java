// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.project;

import com.google.common.base.Throwables;
import com.google.gerrit.entities.Project;
import com.google.gerrit.entities.RefNames;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.extensions.restapi.ResourceConflictException;
import com.google.gerrit.extensions.restapi.Response;
import com.google.gerrit.server.config.AllProjectsName;
import com.google.gerrit.server.config.AllUsersName;
import com.google.gerrit.server.project.ProjectCache;
import com.google.gerrit.server.project.ProjectState;
import com.google.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.gerrit.index.LocalState;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.gerrit.repository.UnavailableResponse;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.StoreException;

/** Moves and deletions of projects on which nothing else depends. */
class ProjectLife {
  private final AllProjectsName allProjects;
  private final AllUsersName allUsers;
  private final S3GitRepositoryManager repositories;
  private final ProjectCache projects;
  private final LocalState local;

  @Inject
  ProjectLife(
      AllProjectsName allProjects,
      AllUsersName allUsers,
      S3GitRepositoryManager repositories,
      ProjectCache projects,
      LocalState local) {
    this.allProjects = allProjects;
    this.allUsers = allUsers;
    this.repositories = repositories;
    this.projects = projects;
    this.local = local;
  }

  /**
   * Moves or deletes a project, so that nothing has its name any more. This node forgets the
   * project at once, because the follower does not notice a project that was created and removed
   * between two rounds.
   *
   * @param project the project
   * @param done answer if the step succeeds
   * @param step the move or deletion
   * @return the answer; one with status 503 if the step was not done, or its outcome is unknown
   * @throws ResourceConflictException if it cannot be done, with the reason
   * @throws IOException if the store refuses
   */
  Response<String> end(Project.NameKey project, Response<String> done, IoRunnable step)
      throws ResourceConflictException, IOException {
    try {
      checkNotNeeded(project);
      step.run();
      local.removed(project);
      return done;
    } catch (UnknownOutcomeException e) { // if applied, another project may have the name
      return new UnavailableResponse<>(e.getMessage());
    } catch (ManifestException.NotCommitted | StoreException.Unavailable e) {
      return new UnavailableResponse<>(e.getMessage() + "; repeat the request");
    } catch (ManifestException e) {
      throw new ResourceConflictException(e.getMessage(), e);
    }
  }

  /**
   * Refuses a project that Gerrit itself needs, and one with children, which would no longer be
   * bound by the rules they inherit.
   */
  private void checkNotNeeded(Project.NameKey project)
      throws ResourceConflictException, IOException {
    if (project.equals(allProjects) || project.equals(allUsers)) {
      throw new ResourceConflictException(project + " is needed by Gerrit itself");
    }
    for (Project.NameKey other : all()) {
      if (!other.equals(project) && parent(other).filter(project::equals).isPresent()) {
        throw new ResourceConflictException(
            other + " inherits from " + project + "; give it another parent first");
      }
    }
  }

  private Set<Project.NameKey> all() throws IOException {
    try {
      return repositories.list();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Finds the parent of a project. Asks the store, because another node may have set it, and the
   * follower may not have told the cache yet.
   */
  private Optional<Project.NameKey> parent(Project.NameKey project)
      throws ResourceConflictException, IOException {
    try (Repository repository = repositories.openRepository(project)) {
      Optional<ObjectId> newest =
          Optional.ofNullable(repository.exactRef(RefNames.REFS_CONFIG)).map(Ref::getObjectId);
      if (!projects.get(project).flatMap(its -> its.getConfig().getRevision()).equals(newest)) {
        projects.evict(project);
      }
      return projects.get(project).map(ProjectState::getProject).map(Project::getParent);
    } catch (RepositoryNotFoundException e) {
      return Optional.empty();
    } catch (StorageException e) { // of the cache
      for (Throwable cause : Throwables.getCausalChain(e)) {
        if (cause instanceof StoreException store) {
          throw store;
        }
      }
      throw new ResourceConflictException("the parent of " + project + " cannot be read", e);
    }
  }
}

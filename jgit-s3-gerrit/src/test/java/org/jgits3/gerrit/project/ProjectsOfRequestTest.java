// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.project;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableSortedSet;
import com.google.gerrit.entities.CachedProjectConfig;
import com.google.gerrit.entities.Project;
import com.google.gerrit.index.project.ProjectIndexer;
import com.google.gerrit.server.config.AllProjectsConfigProvider;
import com.google.gerrit.server.config.AllProjectsName;
import com.google.gerrit.server.config.AllUsersName;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.gerrit.server.git.TransferConfig;
import com.google.gerrit.server.project.ProjectCache;
import com.google.gerrit.server.project.ProjectCacheImpl;
import com.google.gerrit.server.project.ProjectConfig;
import com.google.gerrit.server.project.ProjectState;
import com.google.gerrit.server.util.ManualRequestContext;
import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.Provider;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.name.Named;
import com.google.inject.name.Names;
import com.google.inject.util.Types;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInvocation;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.TwoGerrits;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Gerrit's own cache of projects on a node that has followed nothing that another one did. */
@Holds(
    "ProjectsOfRequest, ProjectList: A request sees the projects that there were when it began, "
        + "and the settings of one that it names by REST")
class ProjectsOfRequestTest extends TwoGerrits {
  private static final Project.NameKey PROJECT = Project.nameKey("some/project");
  private static final AllProjectsName ALL_PROJECTS = new AllProjectsName("All-Projects");
  private static final AllUsersName ALL_USERS = new AllUsersName("All-Users");

  private final AtomicInteger loads = new AtomicInteger();

  private ProjectCache cache;
  private ProjectsOfRequest projects;

  @Override
  protected Module[] modules() {
    return new Module[] {new FreshProjects(), new Caches()};
  }

  @BeforeEach
  void start() {
    cache = node.getInstance(ProjectCache.class);
    projects = node.getInstance(ProjectsOfRequest.class);
  }

  /** What Gerrit binds for its cache of projects. */
  private final class Caches extends AbstractModule {
    @Override
    protected void configure() {
      bind(AllProjectsName.class).toInstance(ALL_PROJECTS);
      bind(AllUsersName.class).toInstance(ALL_USERS);
      bind(AllProjectsConfigProvider.class).toInstance(name -> Optional.empty());
      bind(ProjectCache.class).to(ProjectCacheImpl.class);
      bind(ProjectIndexer.class)
          .toInstance(
              (ProjectIndexer)
                  Proxy.newProxyInstance(
                      getClass().getClassLoader(),
                      new Class<?>[] {ProjectIndexer.class},
                      (self, method, arguments) -> null));
      bindNames(getProvider(GitRepositoryManager.class));
    }

    @SuppressWarnings("unchecked")
    private void bindNames(Provider<GitRepositoryManager> manager) {
      LoadingCache<Object, ImmutableSortedSet<Project.NameKey>> names =
          CacheBuilder.newBuilder()
              .build(CacheLoader.from(key -> ImmutableSortedSet.copyOf(manager.get().list())));
      Class<?> key =
          List.of(ProjectCacheImpl.class.getDeclaredClasses()).stream()
              .filter(type -> type.getSimpleName().equals("ListKey"))
              .findFirst()
              .orElseThrow();
      Object type =
          Key.get(
              Types.newParameterizedType(
                  LoadingCache.class,
                  key,
                  Types.newParameterizedType(ImmutableSortedSet.class, Project.NameKey.class)),
              Names.named(ProjectCacheImpl.CACHE_LIST));
      bind((Key<Object>) type).toInstance(names);
    }

    @Provides
    @Singleton
    @Named(ProjectCacheImpl.CACHE_NAME)
    LoadingCache<Project.NameKey, Optional<CachedProjectConfig>> projects(
        GitRepositoryManager manager, ProjectConfig.Factory configs) {
      return CacheBuilder.newBuilder()
          .build(
              new CacheLoader<>() {
                @Override
                public Optional<CachedProjectConfig> load(Project.NameKey name) throws Exception {
                  loads.incrementAndGet();
                  try (Repository repository = manager.openRepository(name)) {
                    return Optional.of(configs.read(repository, name).getCacheable());
                  } catch (RepositoryNotFoundException e) {
                    return Optional.empty();
                  }
                }
              });
    }

    @Provides
    ProjectState.Factory states(TransferConfig transfers) {
      return config ->
          new ProjectState(
              null, null, ALL_PROJECTS, ALL_USERS, List.of(), null, transfers, null, config);
    }
  }

  /** Does what a request for a project does that REST names. */
  private Optional<ProjectState> named(Project.NameKey project) throws Throwable {
    MethodInvocation parse =
        (MethodInvocation)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MethodInvocation.class},
                (self, method, arguments) ->
                    method.getName().equals("proceed")
                        ? cache.get(project)
                        : new Object[] {project.get(), true});
    @SuppressWarnings("unchecked")
    Optional<ProjectState> found = (Optional<ProjectState>) projects.parse(parse);
    return found;
  }

  @Test
  void names_of_projects_are_those_of_the_store() throws Exception {
    TestSite.begin(requests);
    assertThat(cache.all()).isEmpty();
    there.createRepository(PROJECT).close();
    TestSite.begin(requests);
    assertThat(cache.all()).containsExactly(PROJECT);
    assertThat(cache.byName("some/")).containsExactly(PROJECT);
    assertThat(cache.byName("other/")).isEmpty();
    there.delete(PROJECT);
    TestSite.begin(requests);
    assertThat(cache.all()).isEmpty();
  }

  @Test
  @SuppressWarnings("try") // the context is that of the thread
  void names_outside_requests_are_those_that_the_follower_has_told() throws Exception {
    assertThat(cache.all()).isEmpty();
    there.createRepository(PROJECT).close();
    assertThat(cache.all()).isEmpty();
    try (ManualRequestContext ofFollower = TestSite.requests().open()) {
      assertThat(cache.all()).isEmpty();
    }
    cache.onCreateProject(PROJECT);
    assertThat(cache.all()).containsExactly(PROJECT);
  }

  @Test
  void project_that_was_missing_is_found_by_the_next_request() throws Exception {
    TestSite.begin(requests);
    assertThat(cache.get(PROJECT)).isEmpty();
    there.createRepository(PROJECT).close();
    TestSite.begin(requests);
    assertThat(cache.get(PROJECT)).isPresent();
  }

  @Test
  void missing_project_is_looked_up_once_by_a_request() throws Exception {
    TestSite.begin(requests);
    for (int i = 0; i < 3; i++) {
      assertThat(cache.get(PROJECT)).isEmpty();
    }
    assertThat(loads).hasValue(1);
  }

  @Test
  void project_that_is_named_is_gone_once_another_node_has_deleted_it() throws Throwable {
    there.createRepository(PROJECT).close();
    TestSite.begin(requests);
    assertThat(named(PROJECT)).isPresent();
    there.delete(PROJECT);
    TestSite.begin(requests);
    assertThat(named(PROJECT)).isEmpty();
    there.createRepository(PROJECT).close();
    TestSite.begin(requests);
    assertThat(named(PROJECT)).isPresent();
  }

  @Test
  void project_that_is_named_has_moved_once_another_node_has_moved_it() throws Throwable {
    Project.NameKey to = Project.nameKey("another/project");
    there.createRepository(PROJECT).close();
    TestSite.begin(requests);
    assertThat(named(PROJECT)).isPresent();
    assertThat(named(to)).isEmpty();
    there.rename(PROJECT, to);
    TestSite.begin(requests);
    assertThat(named(PROJECT)).isEmpty();
    assertThat(named(to)).isPresent();
  }

  @Test
  void project_that_is_named_and_unchanged_is_not_loaded_again() throws Throwable {
    there.createRepository(PROJECT).close();
    for (int i = 0; i < 3; i++) {
      TestSite.begin(requests);
      assertThat(named(PROJECT)).isPresent();
    }
    assertThat(loads).hasValue(1);
  }
}

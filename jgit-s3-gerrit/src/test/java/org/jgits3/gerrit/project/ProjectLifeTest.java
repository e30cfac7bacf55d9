// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gerrit.entities.CachedProjectConfig;
import com.google.gerrit.entities.Project;
import com.google.gerrit.entities.RefNames;
import com.google.gerrit.extensions.restapi.ResourceConflictException;
import com.google.gerrit.extensions.restapi.Response;
import com.google.gerrit.server.config.AllProjectsConfigProvider;
import com.google.gerrit.server.config.AllProjectsName;
import com.google.gerrit.server.config.AllUsersName;
import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.config.GerritServerConfig;
import com.google.gerrit.server.git.TransferConfig;
import com.google.gerrit.server.project.ProjectCache;
import com.google.gerrit.server.project.ProjectConfig;
import com.google.gerrit.server.project.ProjectState;
import com.google.inject.Guice;
import com.google.inject.Injector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.TestRepositories;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.TwoGerrits;
import org.jgits3.gerrit.index.DetachedState;
import org.jgits3.gerrit.index.IndexedHere;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.testing.OutageProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ends of projects on a node that has not yet followed what another one did. */
class ProjectLifeTest extends TwoGerrits {
  private static final Project.NameKey PARENT = Project.nameKey("parent");
  private static final Project.NameKey CHILD = Project.nameKey("child");
  private static final AllProjectsName ALL_PROJECTS = new AllProjectsName("All-Projects");
  private static final AllUsersName ALL_USERS = new AllUsersName("All-Users");

  private final Injector ofGerrit =
      Guice.createInjector(
          binder -> {
            binder.bind(AllProjectsName.class).toInstance(ALL_PROJECTS);
            binder.bind(AllProjectsConfigProvider.class).toInstance(name -> Optional.empty());
            binder
                .bind(Config.class)
                .annotatedWith(GerritServerConfig.class)
                .toInstance(new Config());
          });

  private final AtomicInteger ended = new AtomicInteger();

  private ProjectCache cache;

  @BeforeEach
  void start() throws Exception {
    cache = cache(here);
    here.createRepository(PARENT).close();
  }

  /** A cache that keeps what it has loaded, as that of Gerrit does. */
  private ProjectCache cache(S3GitRepositoryManager gerrit) {
    Map<Object, ProjectState> loaded = new ConcurrentHashMap<>();
    return (ProjectCache)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ProjectCache.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "get" ->
                      Optional.of(
                          loaded.computeIfAbsent(
                              arguments[0], name -> load(gerrit, (Project.NameKey) name)));
                  case "evict" -> loaded.remove(arguments[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private ProjectState load(S3GitRepositoryManager gerrit, Project.NameKey name) {
    try (Repository repository = gerrit.openRepository(name)) {
      CachedProjectConfig config =
          ofGerrit.getInstance(ProjectConfig.Factory.class).read(repository, name).getCacheable();
      TransferConfig transfers = ofGerrit.getInstance(TransferConfig.class);
      return new ProjectState(
          null, cache, ALL_PROJECTS, ALL_USERS, List.of(), null, transfers, null, config);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ConfigInvalidException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void setParent(S3GitRepositoryManager gerrit, Project.NameKey parent)
      throws Exception {
    byte[] text = Constants.encode("[access]\n inheritFrom = " + parent + "\n");
    try (Repository repository = gerrit.openRepository(CHILD);
        ObjectInserter inserter = repository.newObjectInserter()) {
      TreeFormatter tree = new TreeFormatter();
      ObjectId blob = inserter.insert(Constants.OBJ_BLOB, text);
      tree.append(ProjectConfig.PROJECT_CONFIG, FileMode.REGULAR_FILE, blob);
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(inserter.insert(tree));
      commit.setAuthor(TestRepositories.WHO);
      commit.setCommitter(TestRepositories.WHO);
      RefUpdate update = repository.updateRef(RefNames.REFS_CONFIG);
      update.setNewObjectId(inserter.insert(commit));
      inserter.flush();
      assertThat(update.forceUpdate()).isIn(RefUpdate.Result.NEW, RefUpdate.Result.FORCED);
    }
  }

  private Response<String> end(S3GitRepositoryManager gerrit, Project.NameKey project)
      throws Exception {
    TestSite.begin(requests);
    try {
      return new ProjectLife(ALL_PROJECTS, ALL_USERS, gerrit, cache, new NoIndexes())
          .end(project, Response.ok("done"), ended::incrementAndGet);
    } finally {
      requests.setContext(null);
    }
  }

  /** Indexes that have no project. */
  private static final class NoIndexes extends DetachedState {
    NoIndexes() {
      super(new IndexedHere(ALL_USERS));
    }

    @Override
    public void removed(Project.NameKey project) {}
  }

  private void assertRefused(Project.NameKey project) {
    assertThatThrownBy(() -> end(here, project))
        .isInstanceOf(ResourceConflictException.class)
        .hasMessageContaining("child inherits from parent");
    assertThat(ended).hasValue(0);
  }

  @Test
  void a_project_that_was_just_made_a_parent_elsewhere_is_kept() throws Exception {
    here.createRepository(CHILD).close();
    setParent(here, ALL_PROJECTS);
    assertThat(cache.get(CHILD)).isPresent();
    setParent(there, PARENT);
    assertRefused(PARENT);
  }

  @Test
  void a_project_whose_child_was_just_created_elsewhere_is_kept() throws Exception {
    there.createRepository(CHILD).close();
    setParent(there, PARENT);
    assertRefused(PARENT);
  }

  @Test
  void a_project_that_lost_its_last_child_elsewhere_is_ended() throws Exception {
    here.createRepository(CHILD).close();
    setParent(here, PARENT);
    assertRefused(PARENT);
    setParent(there, ALL_PROJECTS);
    assertThat(end(here, PARENT).value()).isEqualTo("done");
    assertThat(end(here, CHILD).value()).isEqualTo("done");
    assertThat(ended).hasValue(2);
  }

  @Test
  void nothing_is_ended_while_the_store_does_not_answer() throws Exception {
    S3Server server = S3Servers.require();
    try (OutageProxy proxy = new OutageProxy(server.endpoint())) {
      String config = TestSite.bucket(proxy.endpoint(), server.newBucket().bucket());
      S3GitRepositoryManager gerrit =
          new TestSite(directory.resolve("away"), config).manager(GerritRuntime.BATCH);
      gerrit.createRepository(PARENT).close();
      proxy.fail(Integer.MAX_VALUE);
      assertThat(end(gerrit, PARENT).statusCode()).isEqualTo(HttpURLConnection.HTTP_UNAVAILABLE);
      assertThat(ended).hasValue(0);
      gerrit.stop();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import static javax.servlet.http.HttpServletResponse.SC_NOT_FOUND;
import static javax.servlet.http.HttpServletResponse.SC_SERVICE_UNAVAILABLE;
import static javax.servlet.http.HttpServletResponse.SC_UNAUTHORIZED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Throwables;
import com.google.gerrit.entities.Project;
import com.google.gerrit.httpd.GitOverHttpServlet;
import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.util.ThreadLocalRequestContext;
import com.google.inject.Guice;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.TestRepositories;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.ManifestException;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.OutageProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Holds(
    "StoreFailureResponse, GerritRequest: If the store does not answer, a request is an error of "
        + "the server, and no user or project counts as unknown")
class S3RequestFilterTest {
  private static final Project.NameKey USERS = Project.nameKey("All-Users");

  @ParameterizedTest
  @CsvSource({
    "/a/demo/info/refs, demo",
    "/demo/info/refs, demo",
    "/a/some/demo.git/git-upload-pack, some/demo",
    "/a/with%20space/git-receive-pack, with space",
    "/p/demo/info/refs, demo",
    "/a/c++/info/refs, c++",
    "/a/100%/info/refs,",
    "/a/changes/demo~12/detail, demo",
    "/a/changes/c%2B%2B~12, c++",
    "/a/changes/100%~12,",
    "/changes/some%2Fdemo~12, some/demo",
    "/a/changes/demo~12/revisions/current/review, demo",
    "/a/changes/demo~main~I0123456789012345678901234567890123456789/detail, demo",
    "/a/changes/12/detail,",
    "/a/changes/,",
    "/a/accounts/self,",
    "/info/refs,",
    "/,",
  })
  void project_is_found_in_paths_of_git_and_of_changes(String path, String project) {
    assertThat(S3RequestFilter.project(path).map(Project.NameKey::get).orElse(null))
        .isEqualTo(project);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a/demo/info/refs",
        "/demo/git-upload-pack",
        "/p/some/demo/git-receive-pack",
        "/a/demo/objects",
        "/a/changes/demo~12"
      })
  void paths_of_git_are_those_of_gerrit(String path) {
    Matcher gerrits = Pattern.compile(GitOverHttpServlet.URL_REGEX).matcher(path);
    assertThat(S3RequestFilter.GIT.matcher(path).matches()).isEqualTo(gerrits.matches());
  }

  @Test
  void a_user_is_unknown_only_if_the_store_has_answered(@TempDir Path directory) throws Exception {
    S3Server server = S3Servers.require();
    try (OutageProxy proxy = new OutageProxy(server.endpoint())) {
      String config = TestSite.bucket(proxy.endpoint(), server.newBucket().bucket());
      S3GitRepositoryManager gerrit = new TestSite(directory, config).manager(GerritRuntime.BATCH);
      gerrit.createRepository(USERS).close();
      S3RequestFilter filter = new S3RequestFilter(gerrit, new Config());
      Work open = () -> gerrit.openRepository(USERS).close();
      for (Refusal refusal : REFUSALS) {
        assertThat(answer(filter, open, refusal)).isEqualTo(SC_UNAUTHORIZED);
      }
      proxy.fail(Integer.MAX_VALUE);
      for (Refusal refusal : REFUSALS) {
        assertThat(answer(filter, open, refusal)).isEqualTo(SC_SERVICE_UNAVAILABLE);
      }
      gerrit.stop();
    }
  }

  @Test
  void a_user_is_unknown_only_if_all_of_the_store_was_read(@TempDir Path directory)
      throws Exception {
    S3Server server = S3Servers.require();
    String bucket = server.newBucket().bucket();
    try (OutageProxy proxy = new OutageProxy(server.endpoint())) {
      S3GitRepositoryManager here =
          manager(directory.resolve("here"), TestSite.bucket(proxy.endpoint(), bucket));
      S3GitRepositoryManager there =
          manager(directory.resolve("there"), TestSite.bucket(server.endpoint(), bucket));
      there.createRepository(USERS).close();
      S3RequestFilter filter = new S3RequestFilter(here, new Config());
      for (Refusal refusal : REFUSALS) {
        Work read =
            () -> {
              ObjectId notes = commit(there);
              DfsBlockCache.reconfigure(new DfsBlockCacheConfig()); // forgets what was written
              try (Repository users = here.openRepository(USERS)) {
                proxy.fail(Integer.MAX_VALUE);
                users.open(notes);
              }
            };
        assertThat(answer(filter, read, refusal)).isEqualTo(SC_SERVICE_UNAVAILABLE);
        proxy.recover();
      }
      here.stop();
      there.stop();
    }
  }

  private static S3GitRepositoryManager manager(Path site, String config) throws Exception {
    return new TestSite(site, config).manager(GerritRuntime.BATCH);
  }

  private static ObjectId commit(S3GitRepositoryManager gerrit) throws IOException {
    try (Repository users = gerrit.openRepository(USERS)) {
      ObjectId commit = TestRepositories.commit(users, "notes");
      RefUpdate update = users.updateRef("refs/meta/external-ids");
      update.setNewObjectId(commit);
      update.forceUpdate();
      return commit;
    }
  }

  @Test
  void a_project_is_not_found_only_if_it_does_not_exist(@TempDir Path directory) throws Exception {
    S3GitRepositoryManager gerrit = TestSite.below(directory).manager(GerritRuntime.BATCH);
    S3RequestFilter filter = new S3RequestFilter(gerrit, new Config());
    assertThat(answer(filter, fails(gerrit, RepositoryNotFoundException.class), NOT_FOUND))
        .isEqualTo(SC_NOT_FOUND);
    gerrit.createRepository(USERS).close();
    DirectoryObjectStore store = new DirectoryObjectStore(directory.resolve("store"));
    store.put(StoredManifest.key(store, USERS.get()), new byte[1], 0, 1);
    assertThat(answer(filter, fails(gerrit, ManifestException.Corrupt.class), NOT_FOUND))
        .isEqualTo(SC_SERVICE_UNAVAILABLE);
    gerrit.stop();
  }

  private static Work fails(S3GitRepositoryManager gerrit, Class<?> failure) {
    return () -> assertThatThrownBy(() -> gerrit.openRepository(USERS)).isInstanceOf(failure);
  }

  /** What a request does before its user is refused. */
  private interface Work {
    void run() throws IOException;
  }

  /** Refuses a user. */
  private interface Refusal {
    void of(HttpServletResponse response) throws IOException;
  }

  private static final Refusal NOT_FOUND = response -> response.sendError(SC_NOT_FOUND);

  private static final List<Refusal> REFUSALS =
      List.of(
          response -> response.setStatus(SC_UNAUTHORIZED),
          response -> response.sendError(SC_UNAUTHORIZED),
          response -> response.sendError(SC_UNAUTHORIZED, "unknown"));

  /** Lets a request pass that refuses its user in any case, as Gerrit does. */
  private static int answer(S3RequestFilter filter, Work work, Refusal refusal) throws Exception {
    AtomicInteger status = new AtomicInteger();
    HttpServletRequest request =
        servlet(
            HttpServletRequest.class,
            (name, arguments) ->
                List.of("getRequestURI", "getContextPath").contains(name) ? "" : null);
    HttpServletResponse response =
        servlet(
            HttpServletResponse.class,
            (name, arguments) -> {
              status.set((Integer) arguments[0]);
              return null;
            });
    ThreadLocalRequestContext requests =
        Guice.createInjector().getInstance(ThreadLocalRequestContext.class);
    filter.doFilter(
        request,
        response,
        (its, answer) -> {
          TestSite.begin(requests);
          try {
            work.run();
          } catch (IOException e) {
            assertThat(Throwables.getCausalChain(e))
                .hasAtLeastOneElementOfType(StoreException.Unavailable.class);
          } finally {
            requests.setContext(null);
          }
          refusal.of((HttpServletResponse) answer);
        });
    return status.get();
  }

  private static <T> T servlet(Class<T> type, BiFunction<String, Object[], Object> calls) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> calls.apply(method.getName(), arguments)));
  }
}

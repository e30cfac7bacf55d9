// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.cache.Cache;
import com.google.common.hash.Hashing;
import com.google.gerrit.entities.Account;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.httpd.WebSessionManager;
import com.google.gerrit.httpd.WebSessionManager.Val;
import com.google.gerrit.server.account.externalids.ExternalId;
import com.google.gerrit.server.config.GerritRuntime;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.servlet.http.Cookie;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jgit.lib.Config;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.testing.OutageProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Web sessions of several nodes on one store. */
class StoredSessionsTest {
  private static final String TOKEN = "token";

  @TempDir Path directory;
  private S3GitRepositoryManager gerrit;

  @BeforeEach
  void open() throws Exception {
    gerrit = manager("[s3]\n store = file:" + directory + "/store\n");
  }

  @AfterEach
  void close() {
    gerrit.stop();
  }

  private S3GitRepositoryManager manager(String config) throws Exception {
    return new TestSite(directory.resolve("site"), config).manager(GerritRuntime.BATCH);
  }

  private StoredSessions node() {
    return new StoredSessions(gerrit);
  }

  /** Node on which a session ends while its request of this number is under way. */
  private StoredSessions ending(int request) {
    AtomicInteger requests = new AtomicInteger();
    return new StoredSessions(gerrit) {
      @Override
      ObjectStore store() {
        return new DelegatingObjectStore(super.store()) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            return answered(super.get(key, known));
          }

          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            return answered(super.putIf(key, body, precondition));
          }
        };
      }

      private <T> T answered(T answer) {
        if (requests.incrementAndGet() == request) {
          invalidate(TOKEN);
        }
        return answer;
      }
    };
  }

  /** Changes the end of a stored session into a tag that this Gerrit does not know. */
  private void becomesUnknown() throws Exception {
    String key = "gerrit-sessions/" + Hashing.sha256().hashString(TOKEN, UTF_8);
    byte[] bytes = ((GetResult.Found) gerrit.store().get(key, Optional.empty())).bytes();
    bytes[bytes.length - 2] = 99;
    gerrit.store().put(key, bytes, 0, bytes.length);
  }

  private static Val session(long expiresAt) throws Exception {
    Constructor<Val> make =
        Val.class.getDeclaredConstructor(
            Account.Id.class,
            long.class,
            boolean.class,
            ExternalId.Key.class,
            long.class,
            String.class,
            String.class);
    make.setAccessible(true);
    return make.newInstance(Account.id(1), 0, false, null, expiresAt, "id", "auth");
  }

  /** The session of a request with the cookie. */
  private static S3WebSession web(StoredSessions sessions) {
    HttpServletRequest request =
        proxy(
            HttpServletRequest.class,
            Map.of(
                "getCookies",
                new Cookie[] {new Cookie(S3WebSession.ACCOUNT_COOKIE, TOKEN)},
                "getRequestURI",
                "/logout"));
    return new S3WebSession(
        () -> request,
        () -> proxy(HttpServletResponse.class, Map.of()),
        StoredSessionsTest::manager,
        sessions,
        null,
        null,
        null,
        null);
  }

  private static WebSessionManager manager(Cache<String, Val> sessions) {
    try {
      Constructor<WebSessionManager> make =
          WebSessionManager.class.getDeclaredConstructor(Config.class, Cache.class);
      make.setAccessible(true);
      return make.newInstance(new Config(), sessions);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static <T> T proxy(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answers.get(method.getName())));
  }

  @Test
  void session_is_extended_by_another_node() throws Exception {
    node().put(TOKEN, session(1));
    StoredSessions other = node();
    assertThat(other.getIfPresent(TOKEN).getExpiresAt()).isEqualTo(1);
    other.put(TOKEN, session(2));
    assertThat(node().getIfPresent(TOKEN).getExpiresAt()).isEqualTo(2);
  }

  @Test
  void session_that_another_node_ended_is_not_brought_back_by_its_extension() throws Exception {
    StoredSessions a = node();
    StoredSessions b = node();
    a.put(TOKEN, session(1));
    assertThat(b.getIfPresent(TOKEN)).isNotNull();
    a.invalidate(TOKEN);
    b.put(TOKEN, session(2));
    assertThat(node().getIfPresent(TOKEN)).isNull();
    assertThat(b.getIfPresent(TOKEN)).isNull();
  }

  @Test
  void session_that_this_node_ended_is_not_brought_back_by_a_request_under_way() throws Exception {
    StoredSessions a = node();
    a.put(TOKEN, session(1));
    a.invalidate(TOKEN);
    a.put(TOKEN, session(2));
    assertThat(a.getIfPresent(TOKEN)).isNull();
    assertThat(node().getIfPresent(TOKEN)).isNull();
  }

  @Test
  void session_that_ends_while_it_is_read_is_not_remembered() throws Exception {
    node().put(TOKEN, session(1));
    StoredSessions a = ending(1);
    assertThat(a.getIfPresent(TOKEN)).isNotNull();
    assertThat(a.getIfPresent(TOKEN)).isNull();
  }

  @Test
  void session_that_ends_while_it_is_extended_is_not_remembered() throws Exception {
    node().put(TOKEN, session(1));
    StoredSessions a = ending(3);
    assertThat(a.getIfPresent(TOKEN)).isNotNull();
    a.put(TOKEN, session(2));
    assertThat(a.getIfPresent(TOKEN)).isNull();
  }

  @Test
  void session_that_this_gerrit_cannot_parse_is_none() throws Exception {
    node().put(TOKEN, session(1));
    becomesUnknown();
    assertThat(node().getIfPresent(TOKEN)).isNull();
  }

  @Test
  void logout_ends_a_session_that_this_gerrit_cannot_parse() throws Exception {
    node().put(TOKEN, session(1));
    becomesUnknown();
    web(node()).logout();
    List<String> left = new ArrayList<>();
    gerrit.store().list("gerrit-sessions/", object -> left.add(object.key()));
    assertThat(left).isEmpty();
  }

  @Test
  void logout_that_the_store_does_not_take_is_an_error() throws Exception {
    S3Server server = S3Servers.require();
    try (OutageProxy proxy = new OutageProxy(server.endpoint())) {
      gerrit.stop();
      gerrit = manager(TestSite.bucket(proxy.endpoint(), server.newBucket().bucket()));
      StoredSessions a = node();
      a.put(TOKEN, session(1));
      proxy.fail(Integer.MAX_VALUE);
      assertThatThrownBy(() -> a.invalidate(TOKEN)).isInstanceOf(StorageException.class);
      proxy.recover();
      a.invalidate(TOKEN);
      assertThat(node().getIfPresent(TOKEN)).isNull();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.gerrit.entities.Account;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.httpd.WebSessionManager;
import com.google.gerrit.httpd.WebSessionManager.Val;
import com.google.gerrit.server.account.AccountCache;
import com.google.gerrit.server.account.AccountState;
import com.google.gerrit.server.account.externalids.ExternalId;
import com.google.gerrit.server.config.GerritRuntime;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
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
import org.jgits3.testing.Holds;
import org.jgits3.testing.OutageProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Web sessions of several nodes on one store. Each request of a browser has its own view. */
@Holds(
    "StoredSessions: A session that has ended, alone or with all others, never comes back. A "
        + "later one is good on each node at once.")
class StoredSessionsTest {
  private static final Account.Id USER = Account.id(1000001);
  private static final String TOKEN = token(USER);
  private static final String CLIENT = "192.0.2.1";
  private static final AccountState ACCOUNT =
      AccountState.forAccount(Account.builder(USER, Instant.EPOCH).build());

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

  /** A new token of an account, as Gerrit makes it. */
  private static String token(Account.Id account) {
    try {
      Method make = WebSessionManager.class.getDeclaredMethod("newUniqueToken", Account.Id.class);
      make.setAccessible(true);
      return (String) make.invoke(manager(CacheBuilder.newBuilder().build()), account);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Node that does something once its request of this number is answered, before it goes on. */
  private StoredSessions node(int request, Consumer<StoredSessions> then) {
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
          then.accept(this);
        }
        return answer;
      }
    };
  }

  /** Node that counts its requests other than writes. */
  private StoredSessions counting(AtomicInteger requests) {
    return new StoredSessions(gerrit) {
      @Override
      ObjectStore store() {
        return new DelegatingObjectStore(super.store()) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            requests.incrementAndGet();
            return super.get(key, known);
          }

          @Override
          public void delete(Collection<String> keys) throws IOException {
            requests.incrementAndGet();
            super.delete(keys);
          }
        };
      }
    };
  }

  /** Changes the end of a stored session into a tag that this Gerrit does not know. */
  private void becomesUnknown() throws Exception {
    String key = SessionToken.key(TOKEN).orElseThrow();
    byte[] bytes = ((GetResult.Found) gerrit.store().get(key, Optional.empty())).bytes();
    bytes[bytes.length - 2] = 99;
    gerrit.store().put(key, bytes, 0, bytes.length);
  }

  /** A request that has found the session of its cookie. */
  private static SessionOfRequest request(StoredSessions node) {
    SessionOfRequest request = new SessionOfRequest(node, CLIENT);
    assertThat(request.getIfPresent(TOKEN)).isNotNull();
    return request;
  }

  private static Val found(StoredSessions node, String token) {
    return new SessionOfRequest(node, CLIENT).getIfPresent(token);
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
    return make.newInstance(USER, 0, false, null, expiresAt, "id", "auth");
  }

  /** The session of a request with the cookie. */
  private static S3WebSession web(StoredSessions sessions, String client) {
    HttpServletRequest request =
        proxy(
            HttpServletRequest.class,
            Map.of(
                "getCookies",
                new Cookie[] {new Cookie(S3WebSession.ACCOUNT_COOKIE, TOKEN)},
                "getRequestURI",
                "/logout",
                "getRemoteAddr",
                client));
    return new S3WebSession(
        () -> request,
        () -> proxy(HttpServletResponse.class, Map.of()),
        StoredSessionsTest::manager,
        sessions,
        null,
        null,
        null,
        proxy(AccountCache.class, Map.of("get", Optional.of(ACCOUNT))));
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
    node().begin(TOKEN, session(1));
    SessionOfRequest other = new SessionOfRequest(node(), CLIENT);
    assertThat(other.getIfPresent(TOKEN).getExpiresAt()).isEqualTo(1);
    other.put(TOKEN, session(2));
    assertThat(found(node(), TOKEN).getExpiresAt()).isEqualTo(2);
  }

  @Test
  void login_begins_another_session_than_that_of_the_cookie() throws Exception {
    StoredSessions a = node();
    a.begin(TOKEN, session(1));
    SessionOfRequest login = request(a);
    login.invalidate(TOKEN);
    String next = token(USER);
    login.put(next, session(2));
    assertThat(found(node(), TOKEN)).isNull();
    assertThat(found(node(), next)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void session_that_has_ended_is_not_revived_by_a_running_request(boolean elsewhere)
      throws Exception {
    StoredSessions a = node();
    StoredSessions b = elsewhere ? node() : a;
    a.begin(TOKEN, session(1));
    SessionOfRequest extending = request(b);
    a.end(TOKEN, CLIENT);
    extending.put(TOKEN, session(2));
    assertThat(found(node(), TOKEN)).isNull();
    assertThat(found(b, TOKEN)).isNull();
  }

  @Test
  void session_that_ends_while_it_is_read_is_not_remembered() throws Exception {
    node().begin(TOKEN, session(1));
    StoredSessions a = node(1, ending -> ending.end(TOKEN, CLIENT));
    found(a, TOKEN);
    assertThat(found(a, TOKEN)).isNull();
  }

  @Test
  void session_that_ends_while_it_is_extended_is_not_remembered() throws Exception {
    node().begin(TOKEN, session(1));
    StoredSessions a = node(3, ending -> ending.end(TOKEN, CLIENT)); // session, mark, extension
    request(a).put(TOKEN, session(2));
    assertThat(found(a, TOKEN)).isNull();
  }

  /** Node that does not learn the outcomes of its writes. */
  private StoredSessions unanswered(AtomicInteger writes, boolean applied) {
    return new StoredSessions(gerrit) {
      @Override
      ObjectStore store() {
        return new DelegatingObjectStore(super.store()) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            writes.incrementAndGet();
            if (applied) {
              super.putIf(key, body, precondition);
            }
            return new PutOutcome.Unknown("no answer");
          }
        };
      }
    };
  }

  @Test
  void session_begins_although_the_answer_to_its_write_was_lost() throws Exception {
    AtomicInteger writes = new AtomicInteger();
    StoredSessions a = unanswered(writes, true);
    a.begin(TOKEN, session(1));
    assertThat(found(a, TOKEN)).isNotNull();
    request(a).put(TOKEN, session(2));
    assertThat(found(node(), TOKEN).getExpiresAt()).isEqualTo(2);
    assertThat(writes).hasValue(2);
  }

  /** An attempt under way could bring a session back that has ended meanwhile. */
  @Test
  void login_whose_outcome_is_not_known_is_an_error_and_not_repeated() {
    AtomicInteger writes = new AtomicInteger();
    StoredSessions a = unanswered(writes, false);
    assertThatThrownBy(() -> a.begin(TOKEN, session(1)))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("log in again");
    assertThat(writes).hasValue(1);
  }

  @Test
  void flush_ends_the_sessions_of_all_nodes() throws Exception {
    StoredSessions a = node();
    String other = token(Account.id(7));
    a.begin(TOKEN, session(1));
    node().begin(other, session(1));
    assertThat(found(a, other)).isNotNull();
    a.endAll();
    for (StoredSessions node : List.of(a, node())) {
      assertThat(found(node, TOKEN)).isNull();
      assertThat(found(node, other)).isNull();
    }
    a.endAll(); // while there is a mark
    assertThat(found(node(), TOKEN)).isNull();
  }

  @Test
  void session_begun_after_a_flush_is_good_on_each_node_at_once() throws Exception {
    StoredSessions a = node();
    StoredSessions b = node();
    String before = token(USER);
    b.begin(before, session(1));
    a.endAll();
    b.begin(TOKEN, session(1));
    for (StoredSessions node : List.of(a, b, node())) {
      assertThat(found(node, TOKEN)).isNotNull();
    }
    assertThat(found(b, before)).isNull(); // the login has told it of the new mark
  }

  @Test
  void node_that_remembers_an_old_mark_takes_a_session_that_has_the_new_one() throws Exception {
    StoredSessions b = node();
    String before = token(USER);
    b.begin(before, session(1));
    StoredSessions a = node();
    a.endAll();
    a.begin(TOKEN, session(1));
    assertThat(found(b, TOKEN)).isNotNull();
  }

  @Test
  void session_that_is_extended_during_a_flush_ends() throws Exception {
    StoredSessions b = node();
    b.begin(TOKEN, session(1));
    SessionOfRequest extending = request(b);
    node().endAll();
    extending.put(TOKEN, session(2));
    assertThat(found(node(), TOKEN)).isNull();
  }

  @Test
  void session_whose_login_began_before_a_flush_ends_with_it() throws Exception {
    StoredSessions a = node(1, reading -> node().endAll());
    a.begin(TOKEN, session(1));
    assertThat(found(node(), TOKEN)).isNull();
  }

  @Test
  void flush_overtaken_by_another_one_ends_all_sessions_as_well() throws Exception {
    node().begin(TOKEN, session(1));
    StoredSessions a = node(1, flushing -> node().endAll());
    a.endAll();
    assertThat(found(a, TOKEN)).isNull();
    String next = token(USER);
    a.begin(next, session(1));
    assertThat(found(node(), next)).isNotNull();
  }

  @Test
  void sessions_of_one_account_end_and_those_of_others_do_not() throws Exception {
    StoredSessions a = node();
    String second = token(USER);
    String others = token(Account.id(100000)); // the beginning of the other number
    for (String token : List.of(TOKEN, second, others)) {
      a.begin(token, session(1));
    }
    SessionOfRequest extending = request(a);
    a.endAll(USER);
    extending.put(TOKEN, session(2));
    for (StoredSessions node : List.of(a, node())) {
      assertThat(found(node, TOKEN)).isNull();
      assertThat(found(node, second)).isNull();
      assertThat(found(node, others)).isNotNull();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 127, 128, 1000000, Integer.MAX_VALUE})
  void tokens_of_gerrit_have_the_form_that_is_looked_up(int account) {
    assertThat(SessionToken.key(token(Account.id(account))).orElseThrow())
        .startsWith("gerrit-sessions/" + account + "/");
  }

  @Test
  void cookie_of_another_form_asks_nothing_of_the_store() {
    AtomicInteger requests = new AtomicInteger();
    StoredSessions a = counting(requests);
    List<String> invented =
        List.of(
            "",
            "invented-17",
            "id:1",
            "\u00e9\u20ac",
            TOKEN + "a",
            TOKEN.substring(1),
            "b" + TOKEN.substring(1),
            TOKEN.replace(TOKEN.charAt(9), '='),
            TOKEN.repeat(1000),
            "a".repeat(30),
            "a".repeat(64));
    for (String cookie : invented) {
      assertThat(found(a, cookie)).as(cookie).isNull();
      a.end(cookie, CLIENT);
    }
    assertThat(requests).hasValue(0);
  }

  @Test
  void token_that_names_no_session_is_looked_up_once() {
    AtomicInteger requests = new AtomicInteger();
    StoredSessions a = counting(requests);
    assertThat(found(a, TOKEN)).isNull();
    assertThat(found(a, TOKEN)).isNull();
    a.end(TOKEN, CLIENT);
    assertThat(requests).hasValue(1);
  }

  @Test
  void flood_of_invented_tokens_asks_the_store_a_bounded_number_of_times() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    StoredSessions a = counting(requests);
    a.begin(TOKEN, session(1));
    requests.set(0);
    for (int i = 0; i < 1000; i++) {
      assertThat(found(a, token(USER))).isNull();
    }
    assertThat(requests.get()).isBetween(1, 500); // many periods, on a slow machine
    assertThat(found(a, TOKEN)).isNotNull();
    String login = token(USER);
    a.begin(login, session(1));
    assertThat(found(a, login)).isNotNull();
  }

  @Test
  void flood_of_one_client_hides_no_session_from_others() throws Exception {
    node().begin(TOKEN, session(Long.MAX_VALUE));
    StoredSessions a = node(); // has not read it
    for (int i = 0; i < 1000; i++) {
      assertThat(found(a, token(USER))).isNull();
    }
    assertThat(web(a, CLIENT).isSignedIn()).isFalse();
    assertThat(web(a, "192.0.2.2").isSignedIn()).isTrue();
  }

  @Test
  void client_with_a_network_of_ipv6_addresses_is_one_client() throws Exception {
    node().begin(TOKEN, session(1));
    StoredSessions a = node(); // has not read it
    for (int i = 0; i < 1000; i++) {
      String address = "2001:db8:0:1:0:0:0:" + Integer.toHexString(i);
      assertThat(new SessionOfRequest(a, address).getIfPresent(token(USER))).isNull();
    }
    assertThat(new SessionOfRequest(a, "2001:db8:0:1:f:f:f:f").getIfPresent(TOKEN)).isNull();
    assertThat(new SessionOfRequest(a, "2001:db8:0:2:0:0:0:1").getIfPresent(TOKEN)).isNotNull();
  }

  @Test
  void logout_that_is_not_looked_up_in_a_flood_is_an_error() throws Exception {
    StoredSessions a = node();
    node().begin(TOKEN, session(1));
    for (int i = 0; i < 1000; i++) {
      found(a, token(USER));
    }
    assertThatThrownBy(() -> a.end(TOKEN, CLIENT)).isInstanceOf(StorageException.class);
  }

  @Test
  void session_that_this_gerrit_cannot_parse_is_none() throws Exception {
    node().begin(TOKEN, session(1));
    becomesUnknown();
    assertThat(found(node(), TOKEN)).isNull();
  }

  @Test
  void logout_ends_a_session_that_this_gerrit_cannot_parse() throws Exception {
    node().begin(TOKEN, session(1));
    becomesUnknown();
    web(node(), CLIENT).logout();
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
      a.begin(TOKEN, session(1));
      proxy.fail(Integer.MAX_VALUE);
      assertThatThrownBy(() -> a.end(TOKEN, CLIENT)).isInstanceOf(StorageException.class);
      proxy.recover();
      a.end(TOKEN, CLIENT);
      assertThat(found(node(), TOKEN)).isNull();
    }
  }
}

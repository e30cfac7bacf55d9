// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gerrit.entities.Account;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.httpd.WebSessionManager.Val;
import com.google.gerrit.server.account.externalids.ExternalId;
import com.google.gerrit.server.config.GerritRuntime;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
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

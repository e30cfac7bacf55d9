// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.Change;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.history.RepositoryChange;
import org.jgits3.history.StoreChanges;
import org.jgits3.history.StoreCursor;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.refs.log.LongLog;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.RefChange;
import org.jgits3.store.GetResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** News of a project, from the transactions of a real store. */
class NewsTest {
  private static final Effect CHANGE = new Effect.OfChange(Change.id(1234));
  private static final Effect ALL = new Effect.OfProject();
  private static final Effect OTHER_CHANGE = new Effect.OfChange(Change.id(5));

  /** Time of the first transaction of another node. */
  private static final long TIME = 1_700_000_000_000L;

  @TempDir Path directory;
  private DirectoryObjectStore store;
  private S3RepositoryManager manager;
  private LongLog elsewhere;
  private StoreCursor followed;
  private String key;

  @BeforeEach
  void create() throws Exception {
    store = new DirectoryObjectStore(directory);
    manager = TestRepositories.manager(store);
    try (S3RepositoryManager other = TestRepositories.manager(directory)) {
      other.createRepository("a").close();
    }
    key = StoredManifest.key(store, "a");
    elsewhere = new LongLog(store, "a");
    followed = manager.storeHistory().now();
  }

  @AfterEach
  void close() throws IOException {
    manager.close();
  }

  private static RefChange creation(String ref) {
    return new RefChange(ref, ObjectId.zeroId(), LongLog.id(0));
  }

  private void setElsewhere(String... refs) throws IOException {
    for (String ref : refs) {
      elsewhere.append(List.of(creation(ref)));
    }
  }

  private void setHere(String ref) throws IOException {
    try (Repository repository = manager.openRepository("a")) {
      RefUpdate update = repository.updateRef(ref);
      update.setNewObjectId(TestRepositories.commit(repository, "here"));
      assertThat(update.update()).isEqualTo(RefUpdate.Result.NEW);
    }
  }

  private byte[] manifest() throws IOException {
    return ((GetResult.Found) store.get(key, Optional.empty())).bytes();
  }

  private void replace(byte[] manifest) throws IOException {
    store.put(key, manifest, 0, manifest.length);
  }

  private RepositoryChange next() throws IOException {
    StoreChanges changes = manager.storeHistory().since(followed);
    return changes.next().orElseThrow();
  }

  private News news(boolean allUsers) throws IOException {
    News news = new News();
    news.add(next(), allUsers);
    return news;
  }

  @Test
  void effects_of_other_nodes_are_there_once_in_order_with_the_oldest_time() throws Exception {
    setElsewhere(
        "refs/tags/v1",
        "refs/changes/34/1234/1",
        "refs/changes/05/5/meta",
        "refs/changes/34/1234/meta");
    News news = news(false);
    assertThat(news.effects()).containsExactly(CHANGE, OTHER_CHANGE);
    assertThat(news.isOfRights()).isFalse();
    assertThat(news.own()).isEmpty();
    assertThat(news.oldest()).contains(TIME);
  }

  @Test
  void effects_of_this_node_are_its_own_and_have_no_time() throws Exception {
    setHere("refs/changes/34/1234/meta");
    News news = news(false);
    assertThat(news.own()).containsExactly(CHANGE);
    assertThat(news.effects()).isEmpty();
    assertThat(news.oldest()).isEmpty();
    setElsewhere("refs/changes/05/5/meta");
    news = news(false);
    assertThat(news.own()).containsExactly(CHANGE);
    assertThat(news.effects()).containsExactly(OTHER_CHANGE);
    assertThat(news.oldest()).contains(TIME + 1); // the second in the log
  }

  @Test
  void accounts_are_in_all_users_alone() throws Exception {
    setElsewhere("refs/users/01/1000001");
    assertThat(news(false).effects()).isEmpty();
    News news = news(true);
    assertThat(news.effects()).containsExactly(new Effect.OfAccount(Account.id(1000001)));
    assertThat(news.isOfRights()).isTrue();
  }

  @Test
  void all_is_compared_if_the_log_cannot_be_read() throws Exception {
    elsewhere.append(creation("refs/changes/34/1234/meta"));
    elsewhere.compact();
    assertThat(news(false).effects()).containsExactly(CHANGE);
    List<String> log = new ArrayList<>();
    store.list("objects/", object -> log.add(object.key()));
    store.delete(log);
    News news = news(false);
    assertThat(news.effects()).contains(ALL);
    assertThat(news.isOfRights()).isTrue();
  }

  @Test
  void refs_that_gerrit_cannot_parse_have_no_effect() throws Exception {
    setElsewhere(
        "refs/users/01/1/edit-99999999999/1",
        "refs/changes/99/99999999999/meta",
        "refs/changes/05/5/meta",
        "refs/users/01/99999999999");
    assertThat(news(true).effects()).containsExactly(OTHER_CHANGE);
  }

  /** Makes the next change of the project one of a kind. */
  private void happens(RepositoryChange.Kind kind) throws IOException {
    byte[] former = manifest();
    switch (kind) {
      case CREATED -> followed = manager.storeHistory().start();
      case RENAMED -> manager.rename("a", "b");
      case DELETED -> manager.delete("a");
      case RESTORED -> {
        setElsewhere("refs/changes/34/1234/meta");
        followed = manager.storeHistory().now();
        replace(former);
      }
      case UNAVAILABLE -> replace(new byte[] {'?'});
      case CHANGED -> throw new IllegalArgumentException();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CHANGED")
  void all_is_compared_if_more_happened_than_transactions(RepositoryChange.Kind kind)
      throws Exception {
    happens(kind);
    assertThat(next().kind()).isEqualTo(kind);
    assertThat(news(false).effects()).containsExactly(ALL);
  }

  @Test
  void effects_are_added_and_everything_is() {
    News news = new News();
    news.add(CHANGE);
    assertThat(news.effects()).containsExactly(CHANGE);
    assertThat(news.isOfRights()).isFalse();
    news.addEverything();
    assertThat(news.effects()).containsExactly(CHANGE, ALL);
    assertThat(news.isOfRights()).isTrue();
  }
}

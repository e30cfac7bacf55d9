// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.server.config.AllUsersName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

/** Documents that a request writes after they were followed. */
class IndexedHereTest {
  private static final Project.NameKey MOVED = Project.nameKey("moved");
  private static final Effect CHANGE = new Effect.OfChange(Change.id(5));

  private static final AllUsersName USERS = new AllUsersName("All-Users");

  private final AtomicLong now = new AtomicLong();
  private final IndexedHere indexed = new IndexedHere(USERS, now::get);

  private void follow() throws InterruptedException {
    follow(List.of(CHANGE));
  }

  private void follow(List<? extends Effect> documents) throws InterruptedException {
    Thread follower =
        new Thread(() -> documents.forEach(document -> indexed.follows(document, MOVED)));
    follower.start();
    follower.join();
  }

  /** Follows as many other changes as are remembered. */
  private void followOthers() throws InterruptedException {
    follow(
        IntStream.rangeClosed(1_000, 999 + IndexedHere.MOST)
            .mapToObj(id -> new Effect.OfChange(Change.id(id)))
            .toList());
  }

  private void minutes(int more) {
    now.addAndGet(Duration.ofMinutes(more).toNanos());
  }

  @Test
  void document_is_followed_again_in_the_project_that_has_it_now() throws Exception {
    follow();
    indexed.onChangeIndexed("former", 5);
    assertThat(indexed.takeAgain()).isEqualTo(Map.of(CHANGE, MOVED));
    assertThat(indexed.isEmpty()).isTrue();
  }

  @Test
  void document_that_was_not_followed_is_left_alone() {
    indexed.onChangeIndexed("former", 5);
    assertThat(indexed.takeAgain()).isEmpty();
  }

  @Test
  void document_that_this_thread_has_followed_is_left_alone() {
    indexed.follows(CHANGE, MOVED);
    indexed.onChangeIndexed("former", 5);
    assertThat(indexed.takeAgain()).isEmpty();
  }

  @Test
  void document_is_forgotten_after_ten_minutes() throws Exception {
    follow();
    minutes(10);
    indexed.onChangeIndexed("former", 5);
    assertThat(indexed.takeAgain()).isEmpty();
    indexed.follows(new Effect.OfChange(Change.id(6)), MOVED);
    assertThat(indexed.remembered()).isOne();
  }

  @Holds("IndexedHere: The documents that are remembered take bounded memory")
  @Test
  void as_many_documents_are_remembered_as_there_may_be() throws Exception {
    follow();
    followOthers();
    followOthers();
    assertThat(indexed.remembered()).isEqualTo(IndexedHere.MOST);
  }

  @Holds(
      "IndexedHere: A document is followed again if a request wrote it after a later state was "
          + "followed, or it was forgotten")
  @Test
  void document_that_was_forgotten_early_is_followed_again() throws Exception {
    follow();
    Effect.OfAccount account = new Effect.OfAccount(Account.id(7));
    follow(List.of(account));
    minutes(9);
    followOthers();
    indexed.onChangeIndexed("a", 5);
    indexed.onAccountIndexed(7);
    assertThat(indexed.takeAgain()).isEqualTo(Map.of(CHANGE, Project.nameKey("a"), account, USERS));
    minutes(1);
    indexed.onChangeIndexed("a", 5);
    assertThat(indexed.takeAgain()).isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.server.config.AllUsersName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IndexedHereTest {
  private static final String INDEX = "changes";
  private static final Project.NameKey PROJECT = Project.nameKey("a");
  private static final Effect CHANGE = new Effect.OfChange(Change.id(1));

  private final IndexedHere indexed = new IndexedHere(new AllUsersName("All-Users"));

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void document_written_while_an_index_is_made_anew_is_followed_again(boolean success) {
    indexed.onStart(INDEX, 1, 2);
    indexed.onChangeIndexed("a", 1);
    assertThat(indexed.takeAgain()).isEmpty();
    assertThat(indexed.isEmpty()).as("the position may be saved").isFalse();
    if (success) {
      indexed.onSuccess(INDEX, 1, 2);
    } else {
      indexed.onFailure(INDEX, 1, 2);
    }
    assertThat(indexed.takeAgain()).containsEntry(CHANGE, PROJECT).hasSize(1);
    assertThat(indexed.isEmpty()).isTrue();
    indexed.onChangeIndexed("a", 1);
    assertThat(indexed.isEmpty()).isTrue();
  }

  @Test
  void document_written_while_two_indexes_are_made_anew_is_followed_after_each() {
    indexed.onStart(INDEX, 1, 1);
    indexed.onStart("groups", 1, 1);
    indexed.onChangeIndexed("a", 1);
    indexed.onSuccess("groups", 1, 1);
    assertThat(indexed.takeAgain()).containsOnlyKeys(CHANGE);
    indexed.onSuccess(INDEX, 1, 1);
    assertThat(indexed.takeAgain()).containsOnlyKeys(CHANGE);
  }
}

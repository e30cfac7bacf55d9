// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.Change;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a Gerrit depends on which ref. */
class EffectTest {
  private static final String UUID = "6a1e70e1a88782771a91808c8af9bbb7a9871389";
  private static final ObjectId BEFORE = ObjectId.fromString(UUID);
  private static final ObjectId AFTER = ObjectId.zeroId();

  private static Optional<Effect> ofProject(String ref) {
    return Effect.of(false, ref, BEFORE, AFTER);
  }

  private static Optional<Effect> ofAllUsers(String ref) {
    return Effect.of(true, ref, BEFORE, AFTER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "refs/changes/34/1234/meta",
        "refs/changes/34/1234/1",
        "refs/changes/34/1234/17",
        "refs/changes/34/1234/robot-comments",
        "refs/users/01/1000001/edit-1234/2"
      })
  void change_depends_on_its_notes_patch_sets_and_edits(String ref) {
    Optional<Effect> change = Optional.of(new Effect.OfChange(Change.id(1234)));
    assertThat(ofProject(ref)).isEqualTo(change);
    assertThat(ofAllUsers(ref)).isEqualTo(change);
  }

  @Test
  void settings_depend_on_the_configuration_of_any_project() {
    assertThat(ofProject("refs/meta/config")).contains(new Effect.OfConfig());
    assertThat(ofAllUsers("refs/meta/config")).contains(new Effect.OfConfig());
  }

  @Test
  void account_depends_on_its_ref_in_all_users_alone() {
    Effect account = new Effect.OfAccount(Account.id(1000001));
    assertThat(ofAllUsers("refs/users/01/1000001")).contains(account);
    assertThat(ofProject("refs/users/01/1000001")).isEmpty();
  }

  @Test
  void group_depends_on_its_ref_and_both_its_states() {
    String ref = "refs/groups/6a/" + UUID;
    assertThat(ofAllUsers(ref))
        .contains(new Effect.OfGroup(AccountGroup.uuid(UUID), BEFORE, AFTER));
    assertThat(ofProject(ref)).isEmpty();
  }

  @Test
  void external_ids_are_in_all_users_alone() {
    assertThat(ofAllUsers("refs/meta/external-ids"))
        .contains(new Effect.OfExternalIds(BEFORE, AFTER));
    assertThat(ofProject("refs/meta/external-ids")).isEmpty();
  }

  @Test
  void branch_has_open_changes_that_can_be_merged_or_not() {
    assertThat(ofProject("refs/heads/a/b")).contains(new Effect.OfBranch("refs/heads/a/b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HEAD",
        "refs/tags/v1",
        "refs/meta/dashboards/x",
        "refs/meta/group-names",
        "refs/meta/version",
        "refs/sequences/changes",
        "refs/users/default",
        "refs/users/self",
        "refs/starred-changes/34/1234/1000001",
        "refs/draft-comments/34/1234/1000001",
        "refs/deleted-groups/6a/" + UUID,
        "refs/cache-automerge/12/3456",
        "refs/changes/34/1234",
        "refs/changes/x",
        "refs/groups/6a"
      })
  void nothing_depends_on_what_gerrit_reads_whenever_it_needs_it(String ref) {
    assertThat(ofProject(ref)).isEmpty();
    assertThat(ofAllUsers(ref)).isEmpty();
  }
}

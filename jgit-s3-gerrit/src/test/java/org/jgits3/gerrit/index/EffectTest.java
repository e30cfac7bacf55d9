// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.RefNames;
import java.util.Optional;
import java.util.Random;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a Gerrit depends on which ref. */
@Holds(
    "Effect, LocalState: Indexes and caches follow the refs that any node changes. A ref that "
        + "Gerrit cannot parse has no effect.")
class EffectTest {
  private static final String UUID = "6a1e70e1a88782771a91808c8af9bbb7a9871389";
  private static final ObjectId BEFORE = ObjectId.fromString(UUID);
  private static final ObjectId AFTER = ObjectId.zeroId();

  private static Optional<Effect> ofProject(String ref) {
    return Effect.of("a", false, ref, BEFORE, AFTER);
  }

  private static Optional<Effect> ofAllUsers(String ref) {
    return Effect.of("All-Users", true, ref, BEFORE, AFTER);
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
  void group_depends_on_its_ref_in_all_users_alone() {
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
        "refs/groups/6a",
        "refs/changes/99/99999999999/1",
        "refs/changes/99/99999999999/meta",
        "refs/changes/34/1234/99999999999",
        "refs/users/01/1/edit-99999999999/1",
        "refs/users/01/1/edit-2147483648/1",
        "refs/users/01/99999999999",
        "refs/users/48/2147483648"
      })
  void ref_that_gerrit_reads_when_needed_or_cannot_parse_has_no_effect(String ref) {
    assertThat(ofProject(ref)).isEmpty();
    assertThat(ofAllUsers(ref)).isEmpty();
  }

  @Test
  void any_ref_has_the_effect_that_the_parsers_of_gerrit_see_or_none() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int parsed = 0;
    int refused = 0;
    for (int i = 0; i < 200_000; i++) {
      String ref = hostile(random);
      Optional<Effect> expected;
      try {
        expected = parsed(ref);
      } catch (RuntimeException e) {
        expected = Optional.empty();
        refused++;
      }
      parsed += expected.isPresent() ? 1 : 0;
      assertThat(ofAllUsers(ref)).as("%s, seed %s", ref, seed).isEqualTo(expected);
      assertThat(ofProject(ref).isPresent()).isIn(false, expected.isPresent());
    }
    assertThat(parsed).isPositive();
    assertThat(refused).isPositive();
  }

  /** What Gerrit itself takes a ref of All-Users for, if it can parse it. */
  private static Optional<Effect> parsed(String ref) {
    Change.Id change = Change.Id.fromRef(ref);
    if (change != null) {
      return Optional.of(new Effect.OfChange(change));
    }
    if (RefNames.isRefsEdit(ref)) {
      return Optional.empty();
    }
    Account.Id account = ref.startsWith("refs/users/") ? Account.Id.fromRef(ref) : null;
    if (account != null) {
      return Optional.of(new Effect.OfAccount(account));
    }
    AccountGroup.UUID group = AccountGroup.UUID.fromRef(ref);
    return Optional.ofNullable(group).map(uuid -> new Effect.OfGroup(uuid, BEFORE, AFTER));
  }

  /** A name near those that Gerrit uses. */
  private static String hostile(Random random) {
    String[] starts = {"refs/changes/", "refs/users/", "refs/groups/", "refs/starred-changes/"};
    StringBuilder ref = new StringBuilder(starts[random.nextInt(starts.length)]);
    String number = number(random);
    String shard = number.substring(Math.max(0, number.length() - 2));
    ref.append(shard.length() < 2 ? "0" + shard : shard).append('/').append(number);
    String[] ends = {"", "/", "/meta", "/robot-comments", "/edit-", "/x", "/edit-%s/", "/%s"};
    ref.append(ends[random.nextInt(ends.length)].formatted(number(random)));
    if (random.nextBoolean()) {
      ref.append(number(random));
    }
    for (int edits = random.nextInt(3); edits > 0; edits--) {
      int at = "refs/".length() + random.nextInt(ref.length() - "refs/".length());
      switch (random.nextInt(3)) {
        case 0 -> ref.deleteCharAt(at);
        case 1 -> ref.insert(at, "0/-+e\u0661\u00e9".charAt(random.nextInt(7)));
        default -> ref.insert(at, number(random));
      }
    }
    return ref.toString();
  }

  private static String number(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> Integer.toString(random.nextInt(200));
      case 1 -> Long.toString(Integer.MAX_VALUE + random.nextLong(-3, 3));
      case 2 -> Long.toString(random.nextLong(-3, Long.MAX_VALUE));
      default -> "9".repeat(1 + random.nextInt(12));
    };
  }
}

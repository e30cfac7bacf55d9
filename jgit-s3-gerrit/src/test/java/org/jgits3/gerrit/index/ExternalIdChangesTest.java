// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Account;
import com.google.gerrit.server.account.externalids.ExternalId;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.TreeFormatter;
import org.junit.jupiter.api.Test;

/** Accounts whose external ids differ between two commits. */
class ExternalIdChangesTest {
  private static final ObjectId NONE = ObjectId.zeroId();

  private final InMemoryRepository allUsers =
      new InMemoryRepository(new DfsRepositoryDescription("All-Users"));

  private static String id(String key, int account) {
    return "[externalId \"" + key + "\"]\n\taccountId = " + account + "\n";
  }

  /** Commits files of a directory, as notes are once there are many of them. */
  private ObjectId commit(Map<String, String> notes) throws Exception {
    try (ObjectInserter inserter = allUsers.newObjectInserter()) {
      TreeFormatter directory = new TreeFormatter();
      for (String name : notes.keySet().stream().sorted().toList()) {
        directory.append(
            name,
            FileMode.REGULAR_FILE,
            inserter.insert(Constants.OBJ_BLOB, notes.get(name).getBytes(UTF_8)));
      }
      TreeFormatter root = new TreeFormatter();
      root.append("ab", FileMode.TREE, inserter.insert(directory));
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(inserter.insert(root));
      commit.setAuthor(new PersonIdent("a", "a@example.com"));
      commit.setCommitter(commit.getAuthor());
      ObjectId made = inserter.insert(commit);
      inserter.flush();
      return made;
    }
  }

  @Test
  void accounts_of_added_changed_and_removed_ids_are_found_and_no_others() throws Exception {
    ObjectId before =
        commit(
            Map.of(
                "1", id("username:same", 1),
                "2", id("username:removed", 2),
                "3", id("mailto:changed@example.com", 3)));
    ObjectId after =
        commit(
            Map.of(
                "1", id("username:same", 1),
                "3", id("mailto:changed@example.com", 30),
                "4", id("gerrit:added", 4)));
    Set<Account.Id> found = ExternalIdChanges.between(allUsers, before, after);
    assertThat(found)
        .containsExactlyInAnyOrder(Account.id(2), Account.id(3), Account.id(30), Account.id(4));
  }

  @Test
  void all_are_found_if_there_were_none_before() throws Exception {
    ObjectId first = commit(Map.of("1", id("username:one", 1)));
    Set<Account.Id> found = ExternalIdChanges.between(allUsers, NONE, first);
    assertThat(found).containsExactly(Account.id(1));
    assertThat(ExternalIdChanges.between(allUsers, first, NONE)).isEqualTo(found);
  }

  @Test
  void what_gerrit_cannot_read_is_passed_by() throws Exception {
    ObjectId damaged =
        commit(
            Map.of(
                "1", "[no external id",
                "2", "",
                "3", "[externalId \"x:y\"]\n",
                "4", "[externalId \"x:y\"]\n\taccountId = 99999999999\n",
                "5", "[externalId \"x:y\"]\n\taccountId = -1\n",
                "6", "[externalId \"x:y\"]\n\taccountId = one\n",
                "7", id("username:one", 1)));
    assertThat(ExternalIdChanges.between(allUsers, NONE, damaged)).containsExactly(Account.id(1));
  }

  @Test
  void external_ids_are_read_as_gerrit_writes_them() throws Exception {
    ExternalId.Key user = ExternalId.Key.create(ExternalId.SCHEME_USERNAME, "one", false);
    Config written = new Config();
    ExternalId.create(user, Account.id(1), null, null).writeToConfig(written);
    ObjectId commit = commit(Map.of("1", written.toText()));
    assertThat(ExternalIdChanges.between(allUsers, NONE, commit)).containsExactly(Account.id(1));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.gerrit.entities.Account;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.BlobBasedConfig;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.EmptyTreeIterator;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/**
 * Accounts and names of users in the external ids that differ between two commits of {@code
 * refs/meta/external-ids}. Each external id is a file of its own, named by a hash.
 *
 * @param accounts accounts that had or have them
 * @param users user names for logging in by SSH
 */
record ExternalIdChanges(Set<Account.Id> accounts, Set<String> users) {
  private static final String SECTION = "externalId";
  private static final String USERNAME = "username:";

  /**
   * Compares two commits.
   *
   * @param allUsers repository with both
   * @param before former commit; zero for none
   * @param after later commit; zero for none
   * @return what differs
   * @throws IOException if objects cannot be read
   */
  static ExternalIdChanges between(Repository allUsers, ObjectId before, ObjectId after)
      throws IOException {
    ExternalIdChanges found = new ExternalIdChanges(new LinkedHashSet<>(), new HashSet<>());
    try (TreeWalk walk = new TreeWalk(allUsers)) {
      walk.setRecursive(true);
      walk.setFilter(TreeFilter.ANY_DIFF);
      add(walk, before);
      add(walk, after);
      while (walk.next()) {
        for (int side = 0; side < 2; side++) {
          if (FileMode.REGULAR_FILE.equals(walk.getRawMode(side))) {
            found.read(walk.getObjectReader(), walk.getObjectId(side));
          }
        }
      }
    }
    return found;
  }

  private static void add(TreeWalk walk, ObjectId commit) throws IOException {
    if (commit.equals(ObjectId.zeroId())) {
      walk.addTree(new EmptyTreeIterator());
      return;
    }
    try (RevWalk commits = new RevWalk(walk.getObjectReader())) {
      walk.addTree(commits.parseCommit(commit).getTree());
    }
  }

  private void read(ObjectReader reader, ObjectId note) throws IOException {
    byte[] text = reader.open(note).getCachedBytes();
    Config config;
    try {
      config = new BlobBasedConfig(null, text);
    } catch (ConfigInvalidException e) {
      return; // Gerrit does not see it either
    }
    for (String key : config.getSubsections(SECTION)) {
      int account = config.getInt(SECTION, key, "accountId", 0);
      if (account > 0) {
        accounts.add(Account.id(account));
      }
      if (key.startsWith(USERNAME)) {
        users.add(key.substring(USERNAME.length()));
      }
    }
  }
}

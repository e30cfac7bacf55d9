// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.gerrit.entities.Account;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.BlobBasedConfig;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.EmptyTreeIterator;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/**
 * Accounts whose external ids differ between two commits of {@code refs/meta/external-ids}. Each
 * external id is a file of its own, named by a hash. A file that Gerrit cannot parse is passed by.
 */
final class ExternalIdChanges {
  private static final String SECTION = "externalId";

  /** Maximum size of a file; Gerrit's own have some 200 bytes. */
  private static final int MOST = 1 << 20;

  private final Set<Account.Id> accounts = new LinkedHashSet<>();

  private ExternalIdChanges() {}

  /**
   * Compares two commits.
   *
   * @param allUsers repository with both
   * @param before former commit; zero for none
   * @param after later commit; zero for none
   * @return accounts that had or have the external ids that differ
   * @throws IOException if objects cannot be read
   */
  static Set<Account.Id> between(Repository allUsers, ObjectId before, ObjectId after)
      throws IOException {
    ExternalIdChanges found = new ExternalIdChanges();
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
    return found.accounts;
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
    ObjectLoader file = reader.open(note);
    if (file.getSize() > MOST) {
      return;
    }
    try {
      Config config = new BlobBasedConfig(null, file.getCachedBytes());
      for (String key : config.getSubsections(SECTION)) {
        int account = config.getInt(SECTION, key, "accountId", 0);
        if (account > 0) {
          accounts.add(Account.id(account));
        }
      }
    } catch (ConfigInvalidException | IllegalArgumentException e) { // no number
      return;
    }
  }
}

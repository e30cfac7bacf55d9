// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.internal.function.IoSupplier;

/**
 * Change of one repository since a cursor, as {@link StoreChanges} returns it. Changes of several
 * repositories may be handled by several threads; those of one repository, and of one name, belong
 * to one thread, in the order in which they were returned.
 */
public final class RepositoryChange {
  /** Kind of change. */
  public enum Kind {
    /** Written: refs, or only packs or configuration, and then there is no transaction. */
    CHANGED,
    /** New; {@link #transactions} has all its transactions. */
    CREATED,
    /** Renamed; see {@link #formerName}. It may have been written as well. */
    RENAMED,
    /**
     * At an earlier generation again, as after a restore from a copy. {@link #transactions} has all
     * its transactions; what was made of those before has to be made anew.
     */
    RESTORED,
    /** Deleted. Its last transactions before that can no longer be read. */
    DELETED,
    /** Unreadable now; {@link #transactions} throws the reason. It is returned again. */
    UNAVAILABLE
  }

  private final Kind kind;
  private final String name;
  private final String repositoryId;
  private final Optional<String> formerName;
  private final IoSupplier<Transactions> source;
  private final NameChanges.Updates updates;

  RepositoryChange(
      Kind kind,
      String name,
      String repositoryId,
      Optional<String> formerName,
      IoSupplier<Transactions> source,
      NameChanges.Updates updates) {
    this.kind = kind;
    this.name = name;
    this.repositoryId = repositoryId;
    this.formerName = formerName;
    this.source = source;
    this.updates = updates;
  }

  /**
   * Kind of the change.
   *
   * @return the kind
   */
  public Kind kind() {
    return kind;
  }

  /**
   * Name of the repository; of a deleted one the last that the cursor has.
   *
   * @return name without {@code .git}
   */
  public String name() {
    return name;
  }

  /**
   * Id of the repository, which it keeps when it is renamed.
   *
   * @return id; empty if the repository is new and cannot be read
   */
  public String repositoryId() {
    return repositoryId;
  }

  /**
   * Name that the cursor has, of a repository that was renamed.
   *
   * @return name without {@code .git}; empty if it has that name still, or is new
   */
  public Optional<String> formerName() {
    return formerName;
  }

  /**
   * Opens the transactions since the position that the cursor has: in order, none for a deleted
   * repository. Those that are still in the manifest cost no request.
   *
   * @return the transactions, from the oldest
   * @throws IOException if the repository is unavailable, with the reason in one line
   */
  public Transactions transactions() throws IOException {
    return source.get();
  }

  /**
   * Leaves the change to a later poll: {@link StoreChanges#end} keeps the old position of this
   * repository. For a follower that could not handle it. Without effect on a cursor taken before.
   */
  public void leave() {
    updates.leave();
  }
}

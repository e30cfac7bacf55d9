// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.internal.function.IoSupplier;

/**
 * Change of one repository since a cursor, as {@link StoreChanges} returns it. Changes of several
 * repositories may be handled by several threads; those of one repository, and of one name, must be
 * handled by one thread, in the order in which they were returned.
 */
public final class RepositoryChange {
  /** Kind of change. */
  public enum Kind {
    /** Written: refs, or only packs or configuration, in which case there is no transaction. */
    CHANGED,
    /** New; {@link #transactions} has all its transactions. */
    CREATED,
    /** Renamed; see {@link #formerName}. It may have been written as well. */
    RENAMED,
    /**
     * Back at an earlier generation, as after a restore from a copy. {@link #transactions} has all
     * its transactions; a follower must rebuild what it derived from the earlier ones.
     */
    RESTORED,
    /** Deleted. Its last transactions before that can no longer be read. */
    DELETED,
    /** Unreadable now; {@link #transactions} throws the reason. The next poll returns it again. */
    UNAVAILABLE
  }

  private final Kind kind;
  private final String name;
  private final String repositoryId;
  private final Optional<String> formerName;
  private final IoSupplier<Transactions> source;
  private final ChangeGroup.Updates updates;

  RepositoryChange(
      Kind kind,
      String name,
      String repositoryId,
      Optional<String> formerName,
      IoSupplier<Transactions> source,
      ChangeGroup.Updates updates) {
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
   * Name of the repository; for a deleted one, the last name that the cursor has.
   *
   * @return name without {@code .git}
   */
  public String name() {
    return name;
  }

  /**
   * Id of the repository, which it keeps when it is renamed.
   *
   * @return id
   */
  public String repositoryId() {
    return repositoryId;
  }

  /**
   * Name that the cursor has for a repository that was renamed since.
   *
   * @return name without {@code .git}; empty if it has that name still, or is new
   */
  public Optional<String> formerName() {
    return formerName;
  }

  /**
   * Opens the transactions after the position in the cursor, in order; none for a deleted
   * repository. Those that are still in the manifest cost no request.
   *
   * @return the transactions, from the oldest
   * @throws IOException if the repository is unavailable, with the reason in one line
   */
  public Transactions transactions() throws IOException {
    return source.get();
  }

  /**
   * Leaves the change to a later poll, because the follower could not handle it: {@link
   * StoreChanges#end} then keeps the old position of this repository. Has no effect on a cursor
   * taken before this call.
   */
  public void leave() {
    updates.leave();
  }
}

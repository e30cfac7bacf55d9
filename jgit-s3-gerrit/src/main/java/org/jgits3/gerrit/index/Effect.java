// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.RefNames;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;

/** Part of the indexes and caches of a Gerrit that depends on a ref. */
public sealed interface Effect {
  /** Everything about the project: it is compared with the indexes. */
  record OfProject() implements Effect {
    @Override
    public String toString() {
      return "the project";
    }
  }

  /**
   * Document of a change in the index, and what is derived from it.
   *
   * @param id the change
   */
  record OfChange(Change.Id id) implements Effect {
    @Override
    public String toString() {
      return "change " + id;
    }
  }

  /**
   * Document, tokens and SSH keys of an account.
   *
   * @param id the account
   */
  record OfAccount(Account.Id id) implements Effect {
    @Override
    public String toString() {
      return "account " + id;
    }
  }

  /**
   * Document and memberships of a group.
   *
   * @param group the group
   * @param before commit with its former state; zero if there was none, or it is not known
   * @param after commit with its state; zero if it was deleted, or is not known
   */
  record OfGroup(AccountGroup.UUID group, ObjectId before, ObjectId after) implements Effect {
    /** The document of a group, whatever changed. */
    static OfGroup of(AccountGroup.UUID group) {
      return new OfGroup(group, ObjectId.zeroId(), ObjectId.zeroId());
    }

    @Override
    public String toString() {
      return "group " + group;
    }
  }

  /**
   * Accounts whose external ids differ.
   *
   * @param before commit with the former external ids; zero if there were none
   * @param after commit with the external ids; zero if they were deleted
   */
  record OfExternalIds(ObjectId before, ObjectId after) implements Effect {
    @Override
    public String toString() {
      return "the external ids of " + after.name();
    }
  }

  /** Settings of the project. */
  record OfConfig() implements Effect {
    @Override
    public String toString() {
      return "the settings";
    }
  }

  /**
   * Open changes for a branch, where the index says which of them can be merged.
   *
   * @param name full name of the branch
   */
  record OfBranch(String name) implements Effect {
    @Override
    public String toString() {
      return "branch " + name;
    }
  }

  /** The document that this is about, whatever changed. */
  default Effect document() {
    return this instanceof OfGroup group ? OfGroup.of(group.group()) : this;
  }

  /** Tests whether rights depend on this part, so that caches are to be evicted. */
  default boolean isOfRights() {
    return !(this instanceof OfChange || this instanceof OfBranch);
  }

  /**
   * Finds what depends on a ref. Nothing depends on a ref that Gerrit reads whenever it needs it:
   * drafts, stars, tags, dashboards, number sequences, group names.
   *
   * <p>Gerrit's parsers throw on some names, such as one with a number of twenty digits, which any
   * user may push. Nothing depends on such a ref either; it is named once in the log.
   *
   * @param project name of the project, for the log
   * @param allUsers true in the project that has the accounts and groups
   * @param ref full name; any text
   * @param before value before; zero if the ref was created
   * @param after value after; zero if the ref was deleted
   * @return what depends on it; empty if nothing does
   */
  static Optional<Effect> of(
      String project, boolean allUsers, String ref, ObjectId before, ObjectId after) {
    try {
      return parsed(allUsers, ref, before, after);
    } catch (RuntimeException e) {
      UnparsableRefs.name(project, ref, e);
      return Optional.empty();
    }
  }

  private static Optional<Effect> parsed(
      boolean allUsers, String ref, ObjectId before, ObjectId after) {
    if (ref.startsWith(RefNames.REFS_CHANGES) || RefNames.isRefsEdit(ref)) {
      return Optional.ofNullable(Change.Id.fromRef(ref)).map(OfChange::new);
    }
    if (ref.equals(RefNames.REFS_CONFIG)) {
      return Optional.of(new OfConfig());
    }
    if (ref.startsWith(RefNames.REFS_HEADS)) {
      return Optional.of(new OfBranch(ref));
    }
    return allUsers ? ofAllUsers(ref, before, after) : Optional.empty();
  }

  private static Optional<Effect> ofAllUsers(String ref, ObjectId before, ObjectId after) {
    if (RefNames.isRefsUsers(ref)) {
      return Optional.ofNullable(Account.Id.fromRef(ref)).map(OfAccount::new);
    }
    if (ref.startsWith(RefNames.REFS_GROUPS)) {
      return Optional.ofNullable(AccountGroup.UUID.fromRef(ref))
          .map(group -> new OfGroup(group, before, after));
    }
    return ref.equals(RefNames.REFS_EXTERNAL_IDS)
        ? Optional.of(new OfExternalIds(before, after))
        : Optional.empty();
  }
}

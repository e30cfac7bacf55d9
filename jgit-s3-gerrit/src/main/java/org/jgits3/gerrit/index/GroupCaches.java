// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.InternalGroup;
import com.google.gerrit.server.account.GroupCache;
import com.google.gerrit.server.account.GroupIncludeCache;
import com.google.inject.Inject;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;

/** Caches of groups in memory: by id, by name, by member and by subgroup. */
final class GroupCaches {
  private final GroupCache groups;
  private final GroupIncludeCache inclusions;

  @Inject
  GroupCaches(GroupCache groups, GroupIncludeCache inclusions) {
    this.groups = groups;
    this.inclusions = inclusions;
  }

  /** Forgets a group, so that its document in the index is made from a fresh load. */
  void forget(AccountGroup.UUID group) {
    groups.evict(group);
  }

  /**
   * Forgets what was found in the index about a group before and after a change, including its
   * former members. Called once the index is up to date, because otherwise the stale entries would
   * be found again.
   */
  void forgetFound(Effect.OfGroup change) {
    for (ObjectId state : List.of(change.before(), change.after())) {
      load(change.group(), state).ifPresent(this::forgetFound);
    }
  }

  private Optional<InternalGroup> load(AccountGroup.UUID group, ObjectId state) {
    return state.equals(ObjectId.zeroId())
        ? Optional.empty()
        : Optional.of(groups.getFromMetaId(group, state));
  }

  private void forgetFound(InternalGroup group) {
    groups.evict(group.getId());
    groups.evict(group.getNameKey());
    group.getMembers().forEach(inclusions::evictGroupsWithMember);
    group.getSubgroups().forEach(inclusions::evictParentGroupsOf);
  }
}

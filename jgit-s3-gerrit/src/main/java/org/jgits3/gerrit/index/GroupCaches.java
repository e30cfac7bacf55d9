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

/**
 * Evicts single entries of the caches of groups: by id, by name, by member and by subgroup. Unlike
 * a flush of a cache, that waits for a request that is just loading the entry, and evicts what it
 * loads. Safe for use by many threads.
 */
class GroupCaches {
  private final GroupCache groups;
  private final GroupIncludeCache inclusions;

  @Inject
  GroupCaches(GroupCache groups, GroupIncludeCache inclusions) {
    this.groups = groups;
    this.inclusions = inclusions;
  }

  /**
   * Evicts what was found in the index about a group before and after a change, its former members
   * included. Called once the index is up to date, or the stale entries would be found again.
   *
   * @throws RuntimeException if a state cannot be read
   */
  void evictFound(Effect.OfGroup change) {
    for (ObjectId state : List.of(change.before(), change.after())) {
      load(change.group(), state).ifPresent(this::evictFound);
    }
  }

  private Optional<InternalGroup> load(AccountGroup.UUID group, ObjectId state) {
    return state.equals(ObjectId.zeroId())
        ? Optional.empty()
        : Optional.of(groups.getFromMetaId(group, state));
  }

  private void evictFound(InternalGroup group) {
    groups.evict(group.getId());
    groups.evict(group.getNameKey());
    group.getMembers().forEach(inclusions::evictGroupsWithMember);
    group.getSubgroups().forEach(inclusions::evictParentGroupsOf);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.flogger.FluentLogger;
import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.InternalGroup;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.server.account.GroupCache;
import com.google.gerrit.server.index.group.GroupIndex;
import com.google.gerrit.server.index.group.GroupIndexCollection;
import com.google.gerrit.server.index.group.GroupIndexer;
import com.google.inject.Inject;
import com.google.inject.Provider;

/**
 * Writes documents of groups. Gerrit finds the groups of a member by the index, so rights depend on
 * these documents, and the owner of a group must not be able to keep one from being written. Lucene
 * refuses a term of more than 32,766 bytes, and Gerrit bounds neither names nor descriptions. The
 * document of a group with such texts gets them shortened; its members and subgroups are whole.
 * Safe for use by many threads.
 */
class GroupDocuments {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /** Maximum number of characters of a text; each takes up to three bytes. */
  static final int TEXT = 10_000;

  private final Provider<GroupIndexer> indexer;
  private final GroupIndexCollection indexes;
  private final GroupCache groups;

  @Inject
  GroupDocuments(Provider<GroupIndexer> indexer, GroupIndexCollection indexes, GroupCache groups) {
    this.indexer = indexer;
    this.indexes = indexes;
    this.groups = groups;
  }

  /** Writes the document of a group, or deletes it if the group is gone. */
  void write(AccountGroup.UUID group) {
    try {
      indexer.get().index(group);
    } catch (RuntimeException e) {
      if (LocalState.isOfStore(e)) {
        throw e;
      }
      writeShortened(group, e);
    }
  }

  private void writeShortened(AccountGroup.UUID uuid, RuntimeException refusal) {
    InternalGroup group = groups.get(uuid).orElseThrow(() -> refusal);
    InternalGroup shortened = shortened(group);
    for (GroupIndex index : indexes.getWriteIndexes()) {
      try {
        index.replace(shortened);
      } catch (RuntimeException e) {
        refusal.addSuppressed(e);
        throw new StorageException("group " + uuid + " cannot be indexed", refusal);
      }
    }
    LOG.atWarning().withCause(refusal).log(
        "Following: group %s is indexed with shortened texts, since its own are refused", uuid);
  }

  /** A group that Lucene takes: a reference to it that is too long is of no group. */
  static InternalGroup shortened(InternalGroup group) {
    return group.toBuilder()
        .setNameKey(AccountGroup.nameKey(shortened(group.getName())))
        .setDescription(group.getDescription() == null ? null : shortened(group.getDescription()))
        .setOwnerGroupUUID(AccountGroup.uuid(shortened(group.getOwnerGroupUUID().get())))
        .setSubgroups(
            group.getSubgroups().stream()
                .filter(subgroup -> subgroup.get().length() <= TEXT)
                .collect(toImmutableSet()))
        .build();
  }

  private static String shortened(String text) {
    return text.length() <= TEXT ? text : text.substring(0, TEXT);
  }
}

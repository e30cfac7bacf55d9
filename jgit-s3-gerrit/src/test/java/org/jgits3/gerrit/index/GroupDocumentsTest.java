// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.InternalGroup;
import java.time.Instant;
import org.apache.lucene.index.IndexWriter;
import org.eclipse.jgit.lib.ObjectId;
import org.junit.jupiter.api.Test;

/** Documents of groups whose texts Lucene refuses. */
class GroupDocumentsTest {
  private static final String LONG = "\u20ac".repeat(40_000); // three bytes each

  private static InternalGroup.Builder group() {
    return InternalGroup.builder()
        .setId(AccountGroup.id(1))
        .setGroupUUID(AccountGroup.uuid("uuid"))
        .setNameKey(AccountGroup.nameKey("name"))
        .setOwnerGroupUUID(AccountGroup.uuid("owner"))
        .setVisibleToAll(false)
        .setCreatedOn(Instant.EPOCH)
        .setMembers(ImmutableSet.of(Account.id(7)))
        .setSubgroups(ImmutableSet.of(AccountGroup.uuid("sub")))
        .setRefState(ObjectId.zeroId());
  }

  @Test
  void group_with_short_texts_is_as_it_is() {
    InternalGroup group = group().setDescription("text").build();
    assertThat(GroupDocuments.shortened(group)).isEqualTo(group);
    assertThat(GroupDocuments.shortened(group().build())).isEqualTo(group().build());
  }

  @Test
  void texts_are_shortened_to_what_lucene_takes_and_members_are_whole() {
    InternalGroup shortened =
        GroupDocuments.shortened(
            group()
                .setNameKey(AccountGroup.nameKey(LONG))
                .setDescription(LONG)
                .setOwnerGroupUUID(AccountGroup.uuid(LONG))
                .setSubgroups(ImmutableSet.of(AccountGroup.uuid("sub"), AccountGroup.uuid(LONG)))
                .build());
    for (String text :
        new String[] {
          shortened.getName(), shortened.getDescription(), shortened.getOwnerGroupUUID().get()
        }) {
      assertThat(text.getBytes(UTF_8).length)
          .isPositive()
          .isLessThanOrEqualTo(IndexWriter.MAX_TERM_LENGTH);
    }
    assertThat(shortened.getMembers()).containsExactly(Account.id(7));
    assertThat(shortened.getSubgroups()).containsExactly(AccountGroup.uuid("sub"));
    assertThat(shortened.getRefState()).isEqualTo(ObjectId.zeroId());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.gerrit.index.Index;
import com.google.gerrit.index.IndexCollection;
import com.google.gerrit.index.project.ProjectIndexCollection;
import com.google.gerrit.lucene.AbstractLuceneIndex;
import com.google.gerrit.lucene.LuceneChangeIndex;
import com.google.gerrit.server.index.account.AccountIndexCollection;
import com.google.gerrit.server.index.change.ChangeIndexCollection;
import com.google.gerrit.server.index.group.GroupIndexCollection;
import com.google.inject.Inject;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.List;

/**
 * The indexes of this node on its disk. Gerrit writes to them in memory and commits only after
 * minutes, so a killed node loses what it indexed last.
 */
public final class DurableIndexes {
  /** Private fields of Gerrit's index of changes, one for each of its two parts. */
  static final List<String> PARTS = List.of("openIndex", "closedIndex");

  private final List<IndexCollection<?, ?, ?>> all;

  @Inject
  public DurableIndexes(
      ChangeIndexCollection changes,
      AccountIndexCollection accounts,
      GroupIndexCollection groups,
      ProjectIndexCollection projects) {
    this.all = List.of(changes, accounts, groups, projects);
  }

  /**
   * Makes everything durable that was written to an index before this call. Does nothing for an
   * index other than Lucene, which is a server of its own.
   *
   * @throws IOException if that failed, or the classes of this Gerrit are not the expected ones
   */
  public void commit() throws IOException {
    for (IndexCollection<?, ?, ?> collection : all) {
      for (Index<?, ?> index : collection.getWriteIndexes()) {
        commit(index);
      }
    }
  }

  private static void commit(Index<?, ?> index) throws IOException {
    if (index instanceof AbstractLuceneIndex<?, ?> lucene) {
      lucene.getWriter().commit();
    } else if (index instanceof LuceneChangeIndex changes) {
      for (String name : PARTS) {
        commit(part(changes, name));
      }
    }
  }

  /** A part of this index. Gerrit has no other way to commit it. */
  static Index<?, ?> part(LuceneChangeIndex changes, String name) throws IOException {
    try {
      Field part = LuceneChangeIndex.class.getDeclaredField(name);
      part.setAccessible(true);
      return (Index<?, ?>) part.get(changes);
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new IOException("the index of changes cannot be committed by this Gerrit", e);
    }
  }
}

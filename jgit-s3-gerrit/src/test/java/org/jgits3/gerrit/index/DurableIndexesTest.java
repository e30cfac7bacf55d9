// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.gerrit.index.project.ProjectIndexCollection;
import com.google.gerrit.lucene.AbstractLuceneIndex;
import com.google.gerrit.lucene.LuceneChangeIndex;
import com.google.gerrit.server.config.SitePaths;
import com.google.gerrit.server.index.account.AccountIndexCollection;
import com.google.gerrit.server.index.change.ChangeIndexCollection;
import com.google.gerrit.server.index.change.ChangeSchemaDefinitions;
import com.google.gerrit.server.index.group.GroupIndexCollection;
import com.google.gerrit.server.index.options.AutoFlush;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.store.FSDirectory;
import org.eclipse.jgit.lib.Config;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index of changes as this Gerrit makes it, on the disk. */
class DurableIndexesTest {
  @TempDir Path site;

  private LuceneChangeIndex index() throws Exception {
    Constructor<?> make = LuceneChangeIndex.class.getDeclaredConstructors()[0];
    make.setAccessible(true);
    return (LuceneChangeIndex)
        make.newInstance(
            new Config(),
            new SitePaths(site),
            MoreExecutors.newDirectExecutorService(),
            null,
            ChangeSchemaDefinitions.INSTANCE.getLatest(),
            AutoFlush.DISABLED);
  }

  private static DurableIndexes durable(LuceneChangeIndex index) {
    ChangeIndexCollection changes = new ChangeIndexCollection();
    changes.addWriteIndex(index);
    return new DurableIndexes(
        changes,
        new AccountIndexCollection(),
        new GroupIndexCollection(),
        new ProjectIndexCollection());
  }

  /** Directories of the parts of the index. */
  private List<Path> parts() throws Exception {
    try (Stream<Path> files = Files.walk(site.resolve("index"))) {
      return files.filter(file -> file.endsWith("open") || file.endsWith("closed")).toList();
    }
  }

  /** Documents of a part that are durable. */
  private static int documents(Path part) throws Exception {
    try (FSDirectory directory = FSDirectory.open(part);
        DirectoryReader reader = DirectoryReader.open(directory)) {
      return reader.numDocs();
    }
  }

  @Test
  void commit_makes_documents_of_open_and_of_closed_changes_durable() throws Exception {
    LuceneChangeIndex index = index();
    try {
      DurableIndexes durable = durable(index);
      durable.commit();
      for (String name : DurableIndexes.PARTS) {
        ((AbstractLuceneIndex<?, ?>) DurableIndexes.part(index, name))
            .getWriter()
            .addDocument(new Document());
      }
      assertThat(parts()).hasSize(2).allSatisfy(part -> assertThat(documents(part)).isZero());
      durable.commit();
      assertThat(parts()).allSatisfy(part -> assertThat(documents(part)).isOne());
    } finally {
      index.close();
    }
  }
}

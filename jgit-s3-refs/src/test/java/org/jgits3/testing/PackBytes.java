// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.PackParser;

/**
 * A pack as a client sends it: one commit.
 *
 * @param bytes the pack
 * @param commit id of the commit
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record PackBytes(byte[] bytes, ObjectId commit) {
  /**
   * Receives the pack as a push does.
   *
   * @return the commit
   */
  public ObjectId pushTo(Repository repository) throws IOException {
    return receive(repository, "jgit receive-pack from " + new PersonIdent(repository));
  }

  /**
   * Receives the pack as a fetch does.
   *
   * @return the commit
   */
  public ObjectId fetchTo(Repository repository) throws IOException {
    return receive(repository, "jgit fetch");
  }

  private ObjectId receive(Repository repository, String lockMessage) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      PackParser parser = inserter.newPackParser(new ByteArrayInputStream(bytes));
      parser.setAllowThin(true);
      parser.setLockMessage(lockMessage);
      parser.parse(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE);
    }
    return commit;
  }

  /** A pack of about some size: a file of bytes that cannot be compressed, made from a seed. */
  public static PackBytes ofSize(int size, long seed) throws IOException {
    byte[] content = new byte[size];
    new Random(seed).nextBytes(content);
    try (InMemoryRepository source =
            new InMemoryRepository(new DfsRepositoryDescription("source"));
        ObjectInserter inserter = source.newObjectInserter()) {
      TreeFormatter tree = new TreeFormatter();
      tree.append("file", FileMode.REGULAR_FILE, inserter.insert(Constants.OBJ_BLOB, content));
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(inserter.insert(tree));
      commit.setAuthor(
          new PersonIdent("A U Thor", "author@example.com", Instant.EPOCH, ZoneOffset.UTC));
      commit.setCommitter(commit.getAuthor());
      commit.setMessage("of " + size + " bytes\n");
      ObjectId id = inserter.insert(commit);
      inserter.flush();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (PackWriter writer = new PackWriter(source)) {
        writer.preparePack(NullProgressMonitor.INSTANCE, Set.of(id), Set.of());
        writer.writePack(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE, bytes);
      }
      return new PackBytes(bytes.toByteArray(), id);
    }
  }

  /** A pack of one commit of nothing, whose parent the one who receives it must have. */
  public static PackBytes childOf(ObjectId parent) throws IOException {
    try (InMemoryRepository source =
            new InMemoryRepository(new DfsRepositoryDescription("source"));
        ObjectInserter inserter = source.newObjectInserter()) {
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(inserter.insert(new TreeFormatter()));
      commit.setParentId(parent);
      commit.setAuthor(
          new PersonIdent("A U Thor", "author@example.com", Instant.EPOCH, ZoneOffset.UTC));
      commit.setCommitter(commit.getAuthor());
      commit.setMessage("child\n");
      ObjectId id = inserter.insert(commit);
      inserter.flush();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (PackWriter writer = new PackWriter(source);
          RevWalk walk = new RevWalk(source)) {
        RevCommit child = walk.parseCommit(id);
        writer.preparePack(List.<RevObject>of(child, child.getTree()).iterator());
        writer.writePack(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE, bytes);
      }
      return new PackBytes(bytes.toByteArray(), id);
    }
  }

  /** The same with another trailer, which does not fit. */
  public PackBytes corrupt() {
    byte[] changed = bytes.clone();
    changed[changed.length - 1] ^= 1;
    return new PackBytes(changed, commit);
  }
}

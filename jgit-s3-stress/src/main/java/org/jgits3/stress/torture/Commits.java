// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.TreeWalk;

/**
 * Commits that no other thread has made, each with a file whose content follows from its message.
 */
final class Commits {
  private static final PersonIdent WHO =
      new PersonIdent("A U Thor", "author@example.com", Instant.EPOCH, ZoneOffset.UTC);
  static final String FILE = "file";
  private static final int AT_ONCE = 20;
  private static final int SMALL = 200;
  private static final int LARGE = 300_000;
  private static final int VERY_LARGE = 3_000_000;

  private final RandomGenerator random;
  private final Map<String, Queue<ObjectId>> unused = new HashMap<>();

  Commits(RandomGenerator random) {
    this.random = random;
  }

  /** Returns a commit that was never used, after inserting some if there is none. */
  ObjectId next(Repository repository, String repositoryId) throws IOException {
    Queue<ObjectId> left = unused.computeIfAbsent(repositoryId, id -> new ArrayDeque<>());
    if (left.isEmpty()) {
      left.addAll(insert(repository));
    }
    return left.remove();
  }

  private Queue<ObjectId> insert(Repository repository) throws IOException {
    Queue<ObjectId> ids = new ArrayDeque<>();
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      for (int i = 0; i < AT_ONCE; i++) {
        ids.add(insert(inserter));
      }
      inserter.flush();
    }
    return ids;
  }

  /** Inserts a commit on top of another. */
  ObjectId onTopOf(Repository repository, ObjectId parent) throws IOException {
    String message;
    synchronized (this) {
      message = message(random);
    }
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId id = insert(inserter, message, List.of(parent));
      inserter.flush();
      return id;
    }
  }

  private ObjectId insert(ObjectInserter inserter) throws IOException {
    return insert(inserter, message(random), List.of());
  }

  private static ObjectId insert(ObjectInserter inserter, String message, List<ObjectId> parents)
      throws IOException {
    TreeFormatter tree = new TreeFormatter();
    tree.append(FILE, FileMode.REGULAR_FILE, inserter.insert(Constants.OBJ_BLOB, content(message)));
    CommitBuilder commit = new CommitBuilder();
    commit.setTreeId(inserter.insert(tree));
    commit.setParentIds(parents);
    commit.setAuthor(WHO);
    commit.setCommitter(WHO);
    commit.setMessage(message);
    return inserter.insert(commit);
  }

  /** A message that no other commit has. */
  static String message(RandomGenerator random) {
    int size = random.nextInt(100);
    int bytes = size == 0 ? VERY_LARGE : size < 3 ? LARGE : SMALL;
    return Long.toHexString(random.nextLong()) + " " + bytes;
  }

  /** The content of the file of the commit with a message. */
  static byte[] content(String message) {
    int size = Integer.parseInt(message.split(" ", 2)[1]);
    byte[] content = new byte[size];
    new SplittableRandom(Long.parseUnsignedLong(message.split(" ", 2)[0], 16)).nextBytes(content);
    byte[] line = message.getBytes(US_ASCII);
    System.arraycopy(line, 0, content, 0, Math.min(size, line.length));
    return content;
  }

  /**
   * Reads a commit and its file.
   *
   * @throws IOException if one of them is missing or cannot be read
   * @throws IllegalStateException if the file has another content
   */
  static void check(Repository repository, ObjectId id) throws IOException {
    try (RevWalk walk = new RevWalk(repository)) {
      RevCommit commit = walk.parseCommit(id);
      ObjectReader reader = walk.getObjectReader();
      try (TreeWalk file = TreeWalk.forPath(reader, FILE, commit.getTree())) {
        byte[] found = reader.open(file.getObjectId(0)).getBytes(VERY_LARGE * 2);
        if (!Arrays.equals(found, content(commit.getFullMessage().strip()))) {
          throw new IllegalStateException("another content in " + id.name());
        }
      }
    }
  }
}

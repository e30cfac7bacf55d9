// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.FooterKey;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;

/**
 * Writes what a Gerrit wrote into one project, into others and under other numbers: the branches of
 * a new project, the creation of a change, and a vote with a message. The commits have the messages
 * and identities of the recorded ones, and the present time. Safe for use by many threads.
 */
final class Replay {
  private static final String BRANCH = Constants.R_HEADS + Constants.MASTER;
  private static final String CONFIG = "refs/meta/config";

  private record Stored(int type, byte[] bytes) {}

  /** A change that was written: its first patch set, and the newest commit of its notes. */
  record Written(String project, int number, String key, ObjectId patchSet, ObjectId notes) {}

  private final List<Stored> objects = new ArrayList<>();
  private final ObjectId branch;
  private final ObjectId config;
  private final RevCommit patchSet;
  private final RevCommit creation;
  private final RevCommit vote;
  private final String key;

  /**
   * Reads what was recorded.
   *
   * @param recorded project with one change, which has one patch set and one vote
   */
  Replay(Repository recorded, int change) throws IOException {
    try (ObjectWalk walk = new ObjectWalk(recorded)) {
      branch = recorded.exactRef(BRANCH).getObjectId();
      config = recorded.exactRef(CONFIG).getObjectId();
      walk.markStart(walk.parseCommit(branch));
      walk.markStart(walk.parseCommit(config));
      for (RevCommit commit = walk.next(); commit != null; commit = walk.next()) {
        add(walk.getObjectReader(), commit);
      }
      for (RevObject object = walk.nextObject(); object != null; object = walk.nextObject()) {
        add(walk.getObjectReader(), object);
      }
    }
    patchSet = commit(recorded, refs(change) + "1");
    vote = commit(recorded, refs(change) + "meta");
    creation = parsed(recorded, vote.getParent(0));
    key = patchSet.getFooterLines(new FooterKey("Change-Id")).get(0);
    if (creation.getParentCount() > 0 || !vote.getFullMessage().contains("Label: ")) {
      throw new IOException("not the creation of a change and a vote: " + vote.getFullMessage());
    }
  }

  private static RevCommit commit(Repository recorded, String name) throws IOException {
    Ref ref = recorded.exactRef(name);
    return parsed(recorded, ref.getObjectId());
  }

  private static RevCommit parsed(Repository recorded, ObjectId id) throws IOException {
    try (RevWalk walk = new RevWalk(recorded)) {
      RevCommit commit = walk.parseCommit(id);
      walk.parseBody(commit);
      return commit;
    }
  }

  private void add(ObjectReader reader, RevObject object) throws IOException {
    ObjectLoader loader = reader.open(object);
    objects.add(new Stored(object.getType(), loader.getCachedBytes()));
  }

  private static String refs(int change) {
    return "refs/changes/%02d/%d/".formatted(change % 100, change);
  }

  private static S3Repository deferring(S3Repository repository) {
    repository.getObjectDatabase().deferInsertedPacks();
    return repository;
  }

  /** Creates a project with the branches of the recorded one. */
  void createProject(S3RepositoryManager manager, String name) throws IOException {
    try (Repository project = deferring(manager.createRepository(name));
        ObjectInserter inserter = project.newObjectInserter()) {
      for (Stored object : objects) {
        inserter.insert(object.type, object.bytes);
      }
      inserter.flush();
      update(
          project,
          List.of(
              new ReceiveCommand(ObjectId.zeroId(), branch, BRANCH),
              new ReceiveCommand(ObjectId.zeroId(), config, CONFIG)));
    }
  }

  /** Creates a change as a push for review does. */
  Written createChange(S3RepositoryManager manager, String name, int number) throws IOException {
    try (Repository project = deferring(manager.openRepository(name, Purpose.request()));
        ObjectInserter inserter = project.newObjectInserter()) {
      Written change = insertChange(inserter, name, number);
      inserter.flush();
      update(project, creations(change));
      return change;
    }
  }

  /** Creates changes all at once, with numbers from the given one on. */
  void createChanges(Repository project, ObjectInserter inserter, int first, int count)
      throws IOException {
    List<ReceiveCommand> commands = new ArrayList<>();
    for (int number = first; number < first + count; number++) {
      commands.addAll(creations(insertChange(inserter, "", number)));
    }
    inserter.flush();
    update(project, commands);
  }

  private Written insertChange(ObjectInserter inserter, String project, int number)
      throws IOException {
    byte[] random = new byte[20];
    ThreadLocalRandom.current().nextBytes(random);
    String itsKey = "I" + HexFormat.of().formatHex(random);
    TreeFormatter tree = new TreeFormatter();
    byte[] text = ("change " + number + "\n").getBytes(UTF_8);
    tree.append("f", FileMode.REGULAR_FILE, inserter.insert(Constants.OBJ_BLOB, text));
    Written none = new Written(project, number, itsKey, ObjectId.zeroId(), ObjectId.zeroId());
    ObjectId commit = insert(inserter, patchSet, inserter.insert(tree), branch, none);
    Written first = new Written(project, number, itsKey, commit, ObjectId.zeroId());
    ObjectId empty = inserter.insert(new TreeFormatter());
    ObjectId notes = insert(inserter, creation, empty, null, first);
    return new Written(project, number, itsKey, commit, notes);
  }

  private static List<ReceiveCommand> creations(Written change) {
    String refs = refs(change.number);
    return List.of(
        new ReceiveCommand(ObjectId.zeroId(), change.patchSet, refs + "1"),
        new ReceiveCommand(ObjectId.zeroId(), change.notes, refs + "meta"));
  }

  /** Votes on a change, with a message. */
  void vote(S3RepositoryManager manager, Written change) throws IOException {
    try (Repository project = deferring(manager.openRepository(change.project, Purpose.request()));
        ObjectInserter inserter = project.newObjectInserter()) {
      ObjectId empty = inserter.insert(new TreeFormatter());
      ObjectId notes = insert(inserter, vote, empty, change.notes, change);
      inserter.flush();
      update(
          project, List.of(new ReceiveCommand(change.notes, notes, refs(change.number) + "meta")));
    }
  }

  /** Inserts a commit like a recorded one, whose message names another change. */
  private ObjectId insert(
      ObjectInserter inserter, RevCommit recorded, ObjectId tree, ObjectId parent, Written change)
      throws IOException {
    CommitBuilder commit = new CommitBuilder();
    commit.setTreeId(tree);
    if (parent != null) {
      commit.setParentId(parent);
    }
    commit.setAuthor(now(recorded.getAuthorIdent()));
    commit.setCommitter(now(recorded.getCommitterIdent()));
    commit.setMessage(
        recorded
            .getFullMessage()
            .replace(key, change.key)
            .replace(patchSet.name(), change.patchSet.name()));
    return inserter.insert(commit);
  }

  private static PersonIdent now(PersonIdent recorded) {
    return new PersonIdent(recorded, Instant.now());
  }

  private static void update(Repository project, List<ReceiveCommand> commands) throws IOException {
    BatchRefUpdate batch = project.getRefDatabase().newBatchUpdate();
    batch.setAllowNonFastForwards(true);
    batch.setAtomic(true);
    batch.addCommand(commands);
    try (RevWalk walk = new RevWalk(project)) {
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    }
    for (ReceiveCommand command : commands) {
      if (command.getResult() != ReceiveCommand.Result.OK) {
        throw new IOException(command.toString());
      }
    }
  }
}

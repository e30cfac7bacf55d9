// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.lib.TagBuilder;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.ObjectStore;

/** Repositories and objects for tests. */
public final class TestRepositories {
  public static final PersonIdent WHO =
      new PersonIdent("A U Thor", "author@example.com", Instant.EPOCH, ZoneOffset.UTC);

  private TestRepositories() {}

  /** A manager of a store, with default settings. */
  public static S3RepositoryManager manager(ObjectStore store) throws ConfigInvalidException {
    return manager(store, "");
  }

  /** A manager of a store, with settings in the form of a config file. */
  public static S3RepositoryManager manager(ObjectStore store, String settings)
      throws ConfigInvalidException {
    Config config = new Config();
    config.fromText(settings);
    return new S3RepositoryManager(store, S3Settings.from(config, "test"));
  }

  /** A manager of a store in a directory. */
  public static S3RepositoryManager manager(Path directory)
      throws ConfigInvalidException, IOException {
    return manager(directory, "");
  }

  /** A manager of a store in a directory, with settings in the form of a config file. */
  public static S3RepositoryManager manager(Path directory, String settings)
      throws ConfigInvalidException, IOException {
    return manager(new DirectoryObjectStore(directory), settings);
  }

  /** A manager that gives up soon, as a process that is killed does not try again. */
  public static S3RepositoryManager impatient(ObjectStore store) throws ConfigInvalidException {
    return manager(store, "[s3]\ncommitDeadline = 100 ms");
  }

  /** A commit of a tree. */
  public static CommitBuilder commitOf(ObjectId tree, String message, ObjectId... parents) {
    CommitBuilder commit = new CommitBuilder();
    commit.setTreeId(tree);
    commit.setParentIds(parents);
    commit.setAuthor(WHO);
    commit.setCommitter(WHO);
    commit.setMessage(message);
    return commit;
  }

  /** A tree of one entry. */
  public static TreeFormatter tree(String name, FileMode mode, AnyObjectId id) {
    TreeFormatter tree = new TreeFormatter();
    tree.append(name, mode, id);
    return tree;
  }

  /** Inserts objects that belong together. */
  @FunctionalInterface
  public interface Insertion {
    /**
     * Inserts them.
     *
     * @param inserter where to; flushed afterwards
     * @return one of them
     */
    ObjectId into(ObjectInserter inserter) throws IOException;
  }

  /** Inserts objects in one pack. */
  public static ObjectId insert(Repository repository, Insertion insertion) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId id = insertion.into(inserter);
      inserter.flush();
      return id;
    }
  }

  /** Inserts a commit of an empty tree. */
  public static ObjectId commit(Repository repository, String message, ObjectId... parents)
      throws IOException {
    return insert(
        repository, to -> to.insert(commitOf(to.insert(new TreeFormatter()), message, parents)));
  }

  /** Inserts commits of an empty tree, each the parent of the next. */
  public static List<ObjectId> history(Repository repository, String name, int commits)
      throws IOException {
    List<ObjectId> ids = new ArrayList<>();
    insert(
        repository,
        to -> {
          ObjectId tree = to.insert(new TreeFormatter());
          ObjectId last = to.insert(commitOf(tree, name));
          ids.add(last);
          for (int i = 1; i < commits; i++) {
            last = to.insert(commitOf(tree, name, last));
            ids.add(last);
          }
          return last;
        });
    return ids;
  }

  /** Inserts a commit of one file. */
  public static ObjectId commitFile(Repository repository, byte[] content, ObjectId... parents)
      throws IOException {
    return insert(
        repository,
        to -> {
          ObjectId blob = to.insert(Constants.OBJ_BLOB, content);
          ObjectId tree = to.insert(tree("file", FileMode.REGULAR_FILE, blob));
          return to.insert(commitOf(tree, "a file", parents));
        });
  }

  /** Inserts a commit of so many small blobs. */
  public static ObjectId commitBlobs(Repository repository, int blobs) throws IOException {
    return insert(
        repository,
        to -> {
          TreeFormatter tree = new TreeFormatter();
          for (int i = 0; i < blobs; i++) {
            String name = "%05d".formatted(i);
            ObjectId blob = to.insert(Constants.OBJ_BLOB, name.getBytes(US_ASCII));
            tree.append(name, FileMode.REGULAR_FILE, blob);
          }
          return to.insert(commitOf(to.insert(tree), ""));
        });
  }

  /** Inserts a blob. */
  public static ObjectId blob(Repository repository, byte[] content) throws IOException {
    return insert(repository, to -> to.insert(Constants.OBJ_BLOB, content));
  }

  /** Inserts an annotated tag. */
  public static ObjectId tag(Repository repository, String name, ObjectId commit)
      throws IOException {
    TagBuilder tag = new TagBuilder();
    tag.setTag(name);
    tag.setObjectId(commit, Constants.OBJ_COMMIT);
    tag.setTagger(WHO);
    tag.setMessage(name);
    return insert(repository, to -> to.insert(tag));
  }

  private static RefUpdate updateTo(Repository repository, String ref, ObjectId id)
      throws IOException {
    RefUpdate update = repository.updateRef(ref);
    update.setNewObjectId(id);
    return update;
  }

  /** Sets a ref if that is a creation or a fast-forward. */
  public static RefUpdate.Result update(Repository repository, String ref, ObjectId id)
      throws IOException {
    return updateTo(repository, ref, id).update();
  }

  /** Creates a ref, which must be accepted. */
  public static void createRef(Repository repository, String ref, ObjectId id) throws IOException {
    assertThat(update(repository, ref, id)).as(ref).isEqualTo(RefUpdate.Result.NEW);
  }

  /** Sets a ref, whatever it is. */
  public static RefUpdate.Result force(Repository repository, String ref, ObjectId id)
      throws IOException {
    return updateTo(repository, ref, id).forceUpdate();
  }

  /** Deletes a ref, whatever it is. */
  public static RefUpdate.Result delete(Repository repository, String ref) throws IOException {
    RefUpdate update = repository.updateRef(ref);
    update.setForceUpdate(true);
    return update.delete();
  }

  /** Sets a key of the stored configuration. */
  public static void configure(Repository repository, String section, String key, String value)
      throws IOException {
    StoredConfig config = repository.getConfig();
    config.setString(section, null, key, value);
    config.save();
  }

  /** Executes a batch. */
  public static void execute(Repository repository, BatchRefUpdate batch) throws IOException {
    try (RevWalk walk = new RevWalk(repository)) {
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    }
  }

  /** Executes commands in one batch. */
  public static BatchRefUpdate batch(
      Repository repository, boolean atomic, ReceiveCommand... commands) throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    batch.setAtomic(atomic);
    batch.setAllowNonFastForwards(true);
    batch.addCommand(commands);
    execute(repository, batch);
    return batch;
  }

  /** A command that creates a ref. */
  public static ReceiveCommand creation(String name, ObjectId id) {
    return new ReceiveCommand(ObjectId.zeroId(), id, name);
  }

  /** Creates refs to one object in one batch. */
  public static BatchRefUpdate createAll(
      Repository repository, ObjectId id, int count, IntFunction<String> name) throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    for (int i = 0; i < count; i++) {
      batch.addCommand(creation(name.apply(i), id));
    }
    execute(repository, batch);
    return batch;
  }

  /** Creates a ref in a batch of its own; returns the command, with its result. */
  public static ReceiveCommand create(Repository repository, ObjectId id, String name)
      throws IOException {
    return createAll(repository, id, 1, i -> name).getCommands().get(0);
  }

  /** Name and value of each ref. */
  public static List<String> refs(Repository repository) throws IOException {
    List<String> refs = new ArrayList<>();
    for (Ref ref : repository.getRefDatabase().getRefsByPrefix("refs/")) {
      refs.add(ref.getName() + ' ' + ref.getObjectId().name());
    }
    return refs;
  }

  /** Asserts that all commands of a batch were accepted. */
  public static void assertAllOk(BatchRefUpdate batch) {
    assertThat(batch.getCommands())
        .extracting(ReceiveCommand::getResult)
        .containsOnly(ReceiveCommand.Result.OK);
  }
}

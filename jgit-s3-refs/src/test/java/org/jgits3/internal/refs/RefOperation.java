// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefRename;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.TestRepositories;

/**
 * Something that is done to the refs of a repository, the same whatever keeps them. Values that are
 * relative to the refs ("the value it has") are those of the repository all others are compared
 * with.
 */
sealed interface RefOperation {
  /** Old value that stands for the one the ref has. */
  String CURRENT = "current";

  /** Old value that says that there must be no ref. */
  String ZERO = "zero";

  /** Old value that says nothing. */
  String ANY = "any";

  /**
   * Objects and repository that operations refer to.
   *
   * @param model repository all others are compared with, before the operation
   * @param objects objects by name
   * @param number number of the operation, which its entries in the reflog have
   */
  record Context(Repository model, Map<String, ObjectId> objects, int number) {
    PersonIdent who() {
      return new PersonIdent("User " + number, "user" + number + "@example.com");
    }

    String message() {
      return "message " + number + (number % 4 == 0 ? "\nof two lines" : "");
    }

    Ref ref(String name) throws IOException {
      return model.exactRef(name);
    }

    Optional<ObjectId> old(String value, String name) throws IOException {
      return switch (value) {
        case ANY -> Optional.empty();
        case ZERO -> Optional.of(ObjectId.zeroId());
        case CURRENT -> Optional.of(idOrZero(ref(name)));
        default -> Optional.of(objects.get(value));
      };
    }

    private static ObjectId idOrZero(Ref ref) {
      return ref == null || ref.getObjectId() == null ? ObjectId.zeroId() : ref.getObjectId();
    }
  }

  /**
   * Does it.
   *
   * @param repository repository to change
   * @param context what it refers to
   * @return everything that the caller of the operation is told
   */
  String on(Repository repository, Context context) throws IOException;

  private static RefUpdate prepared(
      Repository repository, Context context, String name, boolean detach, boolean logsResult)
      throws IOException {
    RefUpdate u = repository.getRefDatabase().newUpdate(name, detach);
    u.setRefLogIdent(context.who());
    u.setRefLogMessage(context.message(), logsResult);
    return u;
  }

  /** {@link RefUpdate#update} and {@link RefUpdate#forceUpdate}. */
  record Update(
      String name, String object, String old, boolean force, boolean detach, boolean logsResult)
      implements RefOperation {
    @Override
    public String on(Repository repository, Context context) throws IOException {
      RefUpdate u = prepared(repository, context, name, detach, logsResult);
      u.setNewObjectId(context.objects().get(object));
      u.setForceUpdate(force);
      context.old(old, name).ifPresent(u::setExpectedOldObjectId);
      try (RevWalk walk = new RevWalk(repository)) {
        return u.update(walk) + ", was " + u.getOldObjectId();
      }
    }
  }

  /** {@link RefUpdate#delete}. */
  record Delete(String name, String old, boolean force, boolean detach) implements RefOperation {
    @Override
    public String on(Repository repository, Context context) throws IOException {
      RefUpdate u = prepared(repository, context, name, detach, false);
      u.setForceUpdate(force);
      context.old(old, name).ifPresent(u::setExpectedOldObjectId);
      try (RevWalk walk = new RevWalk(repository)) {
        return u.delete(walk) + ", was " + u.getOldObjectId();
      }
    }
  }

  /** {@link RefUpdate#link}. */
  record Link(String name, String target, boolean logsResult) implements RefOperation {
    @Override
    public String on(Repository repository, Context context) throws IOException {
      return prepared(repository, context, name, true, logsResult).link(target).toString();
    }
  }

  /** {@link RefRename#rename}. */
  record Rename(String from, String to) implements RefOperation {
    @Override
    public String on(Repository repository, Context context) throws IOException {
      RefRename r = repository.getRefDatabase().newRename(from, to);
      r.setRefLogIdent(context.who());
      r.setRefLogMessage(context.message());
      return r.rename().toString();
    }
  }

  /** One command of a {@link CommitBatch}; no object stands for a deletion. */
  record Command(String name, Optional<String> object, String old) {
    private ReceiveCommand on(Context context) throws IOException {
      ObjectId id = object.isPresent() ? context.objects().get(object.get()) : ObjectId.zeroId();
      return new ReceiveCommand(context.old(old, name).orElseThrow(), id, name);
    }

    boolean deletes() {
      return object.isEmpty();
    }
  }

  /** {@link BatchRefUpdate#execute}. */
  record CommitBatch(List<Command> commands, boolean atomic, boolean rewinds, boolean logsResult)
      implements RefOperation {
    @Override
    public String on(Repository repository, Context context) throws IOException {
      BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
      batch.setAtomic(atomic);
      batch.setAllowNonFastForwards(rewinds);
      batch.setRefLogIdent(context.who());
      batch.setRefLogMessage(context.message(), logsResult);
      for (Command c : commands) {
        batch.addCommand(c.on(context));
      }
      TestRepositories.execute(repository, batch);
      List<String> results = new ArrayList<>();
      for (ReceiveCommand c : batch.getCommands()) {
        results.add(c.getRefName() + " " + c.getResult());
      }
      return results.toString();
    }
  }
}

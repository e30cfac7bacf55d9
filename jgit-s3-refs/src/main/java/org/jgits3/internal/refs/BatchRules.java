// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.eclipse.jgit.transport.ReceiveCommand.Result.LOCK_FAILURE;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.NOT_ATTEMPTED;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.OK;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_MISSING_OBJECT;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_NOCREATE;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_NONFASTFORWARD;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_OTHER_REASON;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceiveCommand.Result;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.transaction.BulkUpdate;
import org.jgits3.manifest.RefValue;

/**
 * Rules of a batch: decides for each command whether it is done or refused, as {@code RefDirectory}
 * does. {@code REJECTED_NOCREATE} stands for a name that no ref can have, {@code
 * REJECTED_OTHER_REASON} for a branch that would point to another object than a commit. Immutable.
 *
 * @param commands the batch, in the order of the caller
 * @param objects properties of its objects
 */
record BatchRules(List<ReceiveCommand> commands, Objects objects) {
  /**
   * Properties of the objects of a batch, which do not depend on refs.
   *
   * @param peeled target of each new object that is an annotated tag
   * @param notCommits new objects that are no commits
   * @param missing commands that name a missing object
   * @param rewinds commands that would lose history, where that is not allowed
   */
  record Objects(
      Map<ObjectId, Optional<ObjectId>> peeled,
      Set<ObjectId> notCommits,
      Set<ReceiveCommand> missing,
      Set<ReceiveCommand> rewinds) {
    Optional<ObjectId> peeledOf(ObjectId id) {
      return peeled.getOrDefault(id, Optional.empty());
    }
  }

  /**
   * Orders commands as they are made one by one: deletions first, because they may free names for
   * other commands, and otherwise as the caller gave them.
   *
   * @param commands the batch
   * @return indices of the commands
   */
  static int[] order(List<ReceiveCommand> commands) {
    return IntStream.range(0, commands.size())
        .boxed()
        .sorted(Comparator.comparing(i -> !deletes(commands.get(i))))
        .mapToInt(i -> i)
        .toArray();
  }

  /**
   * Makes each change that is possible after the changes before it.
   *
   * @param edits refs as they are; receives the changes
   * @return result of each command
   */
  Result[] applyOneByOne(RefEdits edits) {
    Result[] results = new Result[commands.size()];
    for (int i : order(commands)) {
      results[i] = applyOne(edits, commands.get(i));
    }
    return results;
  }

  private Result applyOne(RefEdits edits, ReceiveCommand c) {
    if (objects.missing().contains(c)) {
      return REJECTED_MISSING_OBJECT;
    }
    String name = target(edits, c);
    if (!deletes(c) && !edits.exists(name)) {
      if (edits.beyondBounds(name)) {
        return REJECTED_NOCREATE;
      }
      if (edits.conflicting(name)) {
        return LOCK_FAILURE;
      }
    }
    if (!matches(edits, name, c)) {
      return LOCK_FAILURE;
    }
    if (isBranchToOther(name, c)) {
      return REJECTED_OTHER_REASON;
    }
    if (objects.rewinds().contains(c)) {
      return REJECTED_NONFASTFORWARD;
    }
    if (!changesNothing(c)) {
      change(edits, name, c);
    }
    return OK;
  }

  /** Tests whether a branch would point to an object that is no commit, which Git refuses. */
  private boolean isBranchToOther(String name, ReceiveCommand c) {
    return S3RefDatabase.isBranch(name) && objects.notCommits().contains(c.getNewId());
  }

  /** Tests whether a command would create a ref with a name that none can have. */
  private static boolean isBeyondBounds(RefEdits edits, ReceiveCommand c) {
    return !deletes(c) && edits.beyondBounds(target(edits, c));
  }

  static boolean changesNothing(ReceiveCommand c) {
    return c.getOldSymref() == null
        && c.getNewSymref() == null
        && c.getOldId().equals(c.getNewId());
  }

  /**
   * Makes all changes or, if one is not possible, none. Finds the guilty command as {@code
   * RefDirectory} does: checks names first, then objects, then values. A second command for one ref
   * is guilty, too, where {@code RefDirectory} throws an exception and leaves the ref locked.
   *
   * @param edits refs as they are; receives the changes
   * @return result of each command: all done, or one refused and the others not attempted
   */
  Result[] applyAll(RefEdits edits) {
    Result[] results = new Result[commands.size()];
    Arrays.fill(results, NOT_ATTEMPTED);
    RefEdits trial = edits.copy();
    commands.stream().filter(BatchRules::deletes).forEach(c -> trial.delete(c.getRefName()));
    commands.stream().filter(c -> !deletes(c)).forEach(c -> change(trial, target(edits, c), c));
    List<ReceiveCommand> byName = new ArrayList<>(commands);
    byName.sort(Comparator.comparing(ReceiveCommand::getRefName));
    Set<String> targets = new HashSet<>();
    if (blame(commands, results, REJECTED_NOCREATE, c -> isBeyondBounds(edits, c))
        || blame(commands, results, LOCK_FAILURE, c -> conflicting(edits, trial, c))
        || blame(commands, results, REJECTED_MISSING_OBJECT, objects.missing()::contains)
        || blame(
            commands, results, REJECTED_OTHER_REASON, c -> isBranchToOther(target(edits, c), c))
        || blame(commands, results, REJECTED_NONFASTFORWARD, objects.rewinds()::contains)
        || blame(commands, results, LOCK_FAILURE, c -> !targets.add(target(edits, c)))
        || blame(byName, results, LOCK_FAILURE, c -> !matches(edits, target(edits, c), c))) {
      return results;
    }
    edits.addAll(trial);
    Arrays.fill(results, OK);
    return results;
  }

  /**
   * Checks in one pass whether all commands can be done.
   *
   * @param view refs as they are
   * @param oneByOne true if the batch is not atomic; then commands that change nothing are not
   *     logged
   * @return the batch; empty if a command would be refused, or one pass cannot tell
   */
  Optional<BulkUpdate.Checked> checkAtOnce(RefView view, boolean oneByOne) {
    boolean idle = oneByOne && commands.stream().anyMatch(BatchRules::changesNothing);
    boolean refused = commands.stream().anyMatch(c -> isBranchToOther(c.getRefName(), c));
    return idle || refused || !objects.missing().isEmpty() || !objects.rewinds().isEmpty()
        ? Optional.empty()
        : new BulkUpdate(view).check(commands, objects::peeledOf);
  }

  private static boolean deletes(ReceiveCommand c) {
    return c.getType() == ReceiveCommand.Type.DELETE;
  }

  /**
   * Tests whether the name of a command conflicts with another ref. As in {@code RefDirectory}, a
   * name to be deleted may be a directory of others, but no other ref may be a directory of it.
   */
  private static boolean conflicting(RefEdits edits, RefEdits trial, ReceiveCommand c) {
    return deletes(c)
        ? trial.belowAnother(c.getRefName())
        : trial.conflicting(c.getRefName()) || trial.conflicting(target(edits, c));
  }

  /** Sets the result of the first guilty command in some order; false if none is guilty. */
  private boolean blame(
      List<ReceiveCommand> order, Result[] results, Result why, Predicate<ReceiveCommand> guilty) {
    Optional<ReceiveCommand> first = order.stream().filter(guilty).findFirst();
    first.ifPresent(c -> results[commands.indexOf(c)] = why);
    return first.isPresent();
  }

  /**
   * Returns the name that a command changes: the end of a chain of symbolic refs, unless the
   * command is for the link itself.
   */
  private static String target(RefEdits edits, ReceiveCommand c) {
    return aboutLinks(c) ? c.getRefName() : edits.leaf(c.getRefName());
  }

  private static boolean aboutLinks(ReceiveCommand c) {
    return c.getOldSymref() != null || c.getNewSymref() != null;
  }

  private void change(RefEdits edits, String name, ReceiveCommand c) {
    if (c.getNewSymref() != null) {
      edits.link(name, c.getNewSymref());
    } else if (ObjectId.zeroId().equals(c.getNewId())) {
      edits.delete(name);
    } else {
      ObjectId id = c.getNewId().copy();
      edits.put(name, new RefValue.Direct(id, objects.peeledOf(id)));
    }
  }

  private static boolean matches(RefEdits edits, String name, ReceiveCommand c) {
    Optional<String> symbolic = edits.symbolic(name);
    if (c.getOldSymref() != null || symbolic.isPresent()) {
      return symbolic.equals(Optional.ofNullable(c.getOldSymref()));
    }
    return edits.pointsTo(name, c.getOldId());
  }
}

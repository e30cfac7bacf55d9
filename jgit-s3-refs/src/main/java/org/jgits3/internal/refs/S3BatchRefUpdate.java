// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.eclipse.jgit.transport.ReceiveCommand.Result.LOCK_FAILURE;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.NOT_ATTEMPTED;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.OK;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_MISSING_OBJECT;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_NONFASTFORWARD;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_OTHER_REASON;

import java.io.IOException;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.JGitText;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceiveCommand.Result;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.transaction.BulkChanges;
import org.jgits3.internal.refs.transaction.BulkUpdate;
import org.jgits3.internal.refs.transaction.RefTransaction;
import org.jgits3.internal.refs.transaction.RefTransaction.Logged;
import org.jgits3.internal.refs.transaction.RefTransaction.Outcome;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.UnknownOutcomeException;

/**
 * A batch of commands in one transaction, whether atomic or not: a batch that is not atomic commits
 * the commands that can be done and refuses the others one by one.
 */
final class S3BatchRefUpdate extends BatchRefUpdate {
  /** Bytes of a manifest that a ref and a record of its change take besides its names and ids. */
  private static final long PER_REF = 18;

  private static final long PER_ID = 44;

  private static final String UNKNOWN = "outcome unknown; fetch before retrying";

  private final S3RefDatabase database;

  S3BatchRefUpdate(S3RefDatabase database) {
    super(database);
    this.database = database;
  }

  @Override
  public void execute(RevWalk walk, ProgressMonitor monitor, @Nullable List<String> options)
      throws IOException {
    List<ReceiveCommand> pending = ReceiveCommand.filter(getCommands(), NOT_ATTEMPTED);
    if (pending.isEmpty() || !blockUntilTimestamps(MAX_WAIT)) {
      return;
    }
    if (options != null) {
      setPushOptions(options);
    }
    monitor.beginTask(JGitText.get().updatingReferences, getCommands().size());
    commit(pending, inspect(walk, pending));
    monitor.update(getCommands().size());
    monitor.endTask();
  }

  /** Whether commands are decided one by one; a single one always is. */
  private boolean oneByOne(List<ReceiveCommand> commands) {
    return !isAtomic() || commands.size() == 1;
  }

  /**
   * What the objects say of the commands, whatever the refs are.
   *
   * @param peeled what each new object leads to, if it is an annotated tag
   * @param missing commands that name a missing object
   * @param rewinds commands that would lose history, where that is not allowed
   */
  private record Inspection(
      Map<ObjectId, Optional<ObjectId>> peeled,
      Set<ReceiveCommand> missing,
      Set<ReceiveCommand> rewinds) {
    Optional<ObjectId> peeledOf(ObjectId id) {
      return peeled.getOrDefault(id, Optional.empty());
    }
  }

  private Inspection inspect(RevWalk walk, List<ReceiveCommand> commands) throws IOException {
    Map<ObjectId, Optional<ObjectId>> peeled = new HashMap<>();
    Set<ReceiveCommand> missing = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<ReceiveCommand> rewinds = Collections.newSetFromMap(new IdentityHashMap<>());
    boolean checkOld = oneByOne(commands);
    for (ReceiveCommand c : commands) {
      try {
        peel(walk, c.getNewId(), peeled);
        if (checkOld && !peeled.containsKey(c.getOldId())) {
          peel(walk, c.getOldId(), peeled);
        }
        if (!isAllowNonFastForwards()) {
          c.updateType(walk);
          if (c.getType() == ReceiveCommand.Type.UPDATE_NONFASTFORWARD) {
            rewinds.add(c);
          }
        }
      } catch (MissingObjectException e) {
        missing.add(c);
      }
    }
    return new Inspection(peeled, missing, rewinds);
  }

  private static void peel(RevWalk walk, ObjectId id, Map<ObjectId, Optional<ObjectId>> peeled)
      throws IOException {
    if (!ObjectId.zeroId().equals(id) && !peeled.containsKey(id)) {
      peeled.put(id.copy(), S3RefDatabase.peel(walk, id));
    }
  }

  private void commit(List<ReceiveCommand> commands, Inspection inspection) {
    try {
      List<Result> results =
          database.commitBatch(
              new Transaction(commands, inspection),
              () -> tips(commands, inspection),
              bytes(commands, inspection));
      for (int i = 0; i < commands.size(); i++) {
        commands.get(i).setResult(results.get(i));
      }
      if (!oneByOne(commands) && results.contains(NOT_ATTEMPTED)) {
        ReceiveCommand.abort(commands);
      }
    } catch (UnknownOutcomeException e) {
      commands.forEach(c -> c.setResult(REJECTED_OTHER_REASON, UNKNOWN));
    } catch (IOException e) {
      String why = MessageFormat.format(JGitText.get().lockError, e.getMessage());
      commands.forEach(c -> c.setResult(REJECTED_OTHER_REASON, why));
    }
  }

  private static Set<ObjectId> tips(List<ReceiveCommand> commands, Inspection inspection) {
    Set<ObjectId> tips = new HashSet<>();
    for (ReceiveCommand c : commands) {
      if (!ObjectId.zeroId().equals(c.getNewId()) && !inspection.missing().contains(c)) {
        tips.add(c.getNewId().copy());
      }
    }
    return tips;
  }

  /**
   * About what a batch adds to the manifest, to the overlay and to the log; not counted further
   * once no manifest can hold it.
   */
  private static long bytes(List<ReceiveCommand> commands, Inspection inspection) {
    long bytes = 0;
    for (ReceiveCommand c : commands) {
      if (bytes > Manifest.MAX_BYTES) {
        break;
      }
      long ids = 2;
      ids += ObjectId.zeroId().equals(c.getOldId()) ? 0 : 1;
      ids += inspection.peeledOf(c.getNewId()).isPresent() ? 1 : 0;
      bytes += 2L * utf8(c.getRefName()) + PER_REF + ids * PER_ID;
    }
    return bytes;
  }

  private static long utf8(String name) {
    return name.chars().mapToLong(c -> c < 0x80 ? 1 : 3).sum();
  }

  /** The batch as the commit loop tries it, on one state of the refs after the other. */
  private final class Transaction implements RefTransaction<List<Result>> {
    private final List<ReceiveCommand> commands;
    private final Inspection inspection;

    Transaction(List<ReceiveCommand> commands, Inspection inspection) {
      this.commands = commands;
      this.inspection = inspection;
    }

    @Override
    public Outcome<List<Result>> apply(RefEdits edits) {
      return S3BatchRefUpdate.this.apply(edits, commands, inspection);
    }

    @Override
    public Optional<Complete<List<Result>>> applyAtOnce(RefView view) {
      boolean idle =
          oneByOne(commands) && commands.stream().anyMatch(S3BatchRefUpdate::changesNothing);
      if (idle || !inspection.missing().isEmpty() || !inspection.rewinds().isEmpty()) {
        return Optional.empty();
      }
      return new BulkUpdate(view).check(commands, inspection::peeledOf).map(this::complete);
    }

    private Complete<List<Result>> complete(BulkUpdate.Checked batch) {
      Result[] results = new Result[commands.size()];
      Arrays.fill(results, OK);
      return new Complete<>(batch.changes(), new Outcome<>(Arrays.asList(results), logged(batch)));
    }
  }

  /** The record of a batch of which everything was done, and none of it to a symbolic ref. */
  private List<Logged> logged(BulkUpdate.Checked batch) {
    List<ReceiveCommand> commands = batch.commands();
    boolean alike =
        commands.stream()
            .noneMatch(c -> c.hasCustomRefLog() || c.getType() != commands.get(0).getType());
    if (alike) {
      PersonIdent who = database.identity(getRefLogIdent());
      return List.of(new Logged(who, message(commands.get(0)), new BulkChanges(batch)));
    }
    Result[] results = new Result[commands.size()];
    Arrays.fill(results, OK);
    return logged(commands, results, S3BatchRefUpdate::plain);
  }

  private Outcome<List<Result>> apply(
      RefEdits edits, List<ReceiveCommand> commands, Inspection inspection) {
    Result[] results =
        oneByOne(commands)
            ? applyOneByOne(edits, commands, inspection)
            : applyAll(edits, commands, inspection);
    return new Outcome<>(
        List.of(results), logged(commands, results, (c, to) -> changes(edits, c, to)));
  }

  /** Makes the changes that can be made: deletions first, since they may free names for others. */
  private static Result[] applyOneByOne(
      RefEdits edits, List<ReceiveCommand> commands, Inspection inspection) {
    Result[] results = new Result[commands.size()];
    for (boolean deletes : new boolean[] {true, false}) {
      for (int i = 0; i < results.length; i++) {
        ReceiveCommand c = commands.get(i);
        if ((c.getType() == ReceiveCommand.Type.DELETE) == deletes) {
          results[i] = applyOne(edits, c, inspection);
        }
      }
    }
    return results;
  }

  private static Result applyOne(RefEdits edits, ReceiveCommand c, Inspection inspection) {
    if (inspection.missing().contains(c)) {
      return REJECTED_MISSING_OBJECT;
    }
    String name = target(edits, c);
    boolean creates = !edits.exists(name);
    if (creates && edits.conflicting(name) && c.getType() != ReceiveCommand.Type.DELETE) {
      return LOCK_FAILURE;
    }
    if (!matches(edits, name, c)) {
      return LOCK_FAILURE;
    }
    if (inspection.rewinds().contains(c)) {
      return REJECTED_NONFASTFORWARD;
    }
    if (!changesNothing(c)) {
      change(edits, name, c, inspection);
    }
    return OK;
  }

  private static boolean changesNothing(ReceiveCommand c) {
    return c.getOldSymref() == null
        && c.getNewSymref() == null
        && c.getOldId().equals(c.getNewId());
  }

  /**
   * Makes all changes or, if one cannot be made, none. Which command is to blame is found as {@code
   * RefDirectory} finds it: names first, then objects, then values. The second command for a ref is
   * to blame as well: {@code RefDirectory} throws an exception then, and leaves the ref locked.
   */
  private static Result[] applyAll(
      RefEdits edits, List<ReceiveCommand> commands, Inspection inspection) {
    Result[] results = new Result[commands.size()];
    Arrays.fill(results, NOT_ATTEMPTED);
    RefEdits trial = edits.copy();
    commands.stream()
        .filter(c -> c.getType() == ReceiveCommand.Type.DELETE)
        .forEach(c -> trial.delete(c.getRefName()));
    commands.stream()
        .filter(c -> c.getType() != ReceiveCommand.Type.DELETE)
        .forEach(c -> change(trial, target(edits, c), c, inspection));
    List<ReceiveCommand> byName = new ArrayList<>(commands);
    byName.sort(Comparator.comparing(ReceiveCommand::getRefName));
    Set<String> targets = new HashSet<>();
    if (blame(commands, commands, results, LOCK_FAILURE, c -> conflicting(edits, trial, c))
        || blame(
            commands, commands, results, REJECTED_MISSING_OBJECT, inspection.missing()::contains)
        || blame(
            commands, commands, results, REJECTED_NONFASTFORWARD, inspection.rewinds()::contains)
        || blame(commands, commands, results, LOCK_FAILURE, c -> !targets.add(target(edits, c)))
        || blame(
            byName, commands, results, LOCK_FAILURE, c -> !matches(edits, target(edits, c), c))) {
      return results;
    }
    edits.addAll(trial);
    Arrays.fill(results, OK);
    return results;
  }

  /** As {@code RefDirectory}, a name to be deleted may be a directory of others, but not in one. */
  private static boolean conflicting(RefEdits edits, RefEdits trial, ReceiveCommand c) {
    return c.getType() == ReceiveCommand.Type.DELETE
        ? trial.belowAnother(c.getRefName())
        : trial.conflicting(c.getRefName()) || trial.conflicting(target(edits, c));
  }

  /** Gives the first guilty command in an order its result. */
  private static boolean blame(
      List<ReceiveCommand> order,
      List<ReceiveCommand> commands,
      Result[] results,
      Result why,
      Predicate<ReceiveCommand> guilty) {
    Optional<ReceiveCommand> first = order.stream().filter(guilty).findFirst();
    first.ifPresent(c -> results[commands.indexOf(c)] = why);
    return first.isPresent();
  }

  /** Name that a command changes: the end of a chain of symbolic refs, unless it is about them. */
  private static String target(RefEdits edits, ReceiveCommand c) {
    boolean aboutLinks = c.getOldSymref() != null || c.getNewSymref() != null;
    return aboutLinks ? c.getRefName() : edits.leaf(c.getRefName());
  }

  private static void change(RefEdits edits, String name, ReceiveCommand c, Inspection inspection) {
    if (c.getNewSymref() != null) {
      edits.link(name, c.getNewSymref());
    } else if (ObjectId.zeroId().equals(c.getNewId())) {
      edits.delete(name);
    } else {
      ObjectId id = c.getNewId();
      edits.put(name, new RefValue.Direct(id.copy(), inspection.peeledOf(id)));
    }
  }

  private static boolean matches(RefEdits edits, String name, ReceiveCommand c) {
    Optional<String> symbolic = edits.symbolic(name);
    if (c.getOldSymref() != null || symbolic.isPresent()) {
      return symbolic.equals(Optional.ofNullable(c.getOldSymref()));
    }
    return edits.pointsTo(name, c.getOldId());
  }

  /** Says what a command that was done changed. */
  @FunctionalInterface
  private interface Recording {
    void changes(ReceiveCommand command, List<RefChange> to);
  }

  /** What a command about a ref that is not symbolic changed. */
  private static void plain(ReceiveCommand c, List<RefChange> to) {
    to.add(new RefChange(c.getRefName(), c.getOldId().copy(), c.getNewId().copy()));
  }

  /** What a command changed, of which the ref, or the one it leads to, may be symbolic. */
  private static void changes(RefEdits edits, ReceiveCommand c, List<RefChange> to) {
    String name = c.getRefName();
    Optional<String> was = edits.before().symbolic(name);
    Optional<String> is = edits.symbolic(name);
    if (was.isEmpty() && is.isEmpty()) {
      plain(c, to);
    } else if (c.getOldSymref() != null || c.getNewSymref() != null || !was.equals(is)) {
      ObjectId old = RefEdits.idOrZero(edits.directBefore(edits.before().leaf(name)));
      ObjectId now = RefEdits.idOrZero(edits.direct(edits.leaf(name)));
      to.add(new RefChange(name, old, now).linked(was, is));
    } else {
      RefChange through = new RefChange(name, c.getOldId().copy(), c.getNewId().copy());
      to.add(new RefChange(edits.before().leaf(name), through.oldId(), through.newId()));
      if (!ObjectId.zeroId().equals(c.getNewId())) {
        to.add(through.linked(was, was));
      }
    }
  }

  private List<Logged> logged(
      List<ReceiveCommand> commands, Result[] results, Recording recording) {
    PersonIdent who = database.identity(getRefLogIdent());
    boolean oneByOne = oneByOne(commands); // as RefDirectory, which logs them of an atomic batch
    Map<String, List<RefChange>> byMessage = new LinkedHashMap<>();
    for (int i = 0; i < commands.size(); i++) {
      if (results[i] == OK && !(oneByOne && changesNothing(commands.get(i)))) {
        ReceiveCommand c = commands.get(i);
        recording.changes(c, byMessage.computeIfAbsent(message(c), m -> new ArrayList<>()));
      }
    }
    List<Logged> records = new ArrayList<>();
    byMessage.forEach((message, changes) -> records.add(new Logged(who, message, changes)));
    return records;
  }

  private String message(ReceiveCommand c) {
    String message = isRefLogDisabled(c) ? null : getRefLogMessage(c);
    if (message == null) {
      return "";
    }
    if (!isRefLogIncludingResult(c)) {
      return message;
    }
    String suffix =
        switch (c.getType()) {
          case CREATE -> ReflogEntry.PREFIX_CREATED;
          case UPDATE ->
              isAllowNonFastForwards()
                  ? ReflogEntry.PREFIX_FORCED_UPDATE
                  : ReflogEntry.PREFIX_FAST_FORWARD;
          case UPDATE_NONFASTFORWARD -> ReflogEntry.PREFIX_FORCED_UPDATE;
          case DELETE -> "";
        };
    return message.isEmpty() || suffix.isEmpty() ? message + suffix : message + ": " + suffix;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.eclipse.jgit.transport.ReceiveCommand.Result.NOT_ATTEMPTED;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.OK;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_OTHER_REASON;

import java.io.IOException;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.JGitText;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceiveCommand.Result;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.internal.refs.transaction.BulkChanges;
import org.jgits3.internal.refs.transaction.BulkUpdate;
import org.jgits3.internal.refs.transaction.RefTransaction;
import org.jgits3.internal.refs.transaction.RefTransaction.Logged;
import org.jgits3.internal.refs.transaction.RefTransaction.Outcome;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RefChange;
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

  /** Commands whose old object is missing, so that they cannot be fast-forwards. */
  private final Set<ReceiveCommand> fromMissing =
      Collections.newSetFromMap(new IdentityHashMap<>());

  S3BatchRefUpdate(S3RefDatabase database) {
    super(database);
    this.database = database;
  }

  /** As documented by JGit, without progress: there is one write for all commands. */
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
    commit(new BatchRules(pending, inspect(walk, pending)));
  }

  /** Tests whether commands are decided one by one; a single one always is. */
  private boolean oneByOne(List<ReceiveCommand> commands) {
    return !isAtomic() || commands.size() == 1;
  }

  private BatchRules.Objects inspect(RevWalk walk, List<ReceiveCommand> commands)
      throws IOException {
    Map<ObjectId, Optional<ObjectId>> peeled = new HashMap<>();
    Set<ObjectId> notCommits = new HashSet<>();
    Set<ReceiveCommand> missing = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<ReceiveCommand> rewinds = Collections.newSetFromMap(new IdentityHashMap<>());
    boolean checkOld = oneByOne(commands);
    for (ReceiveCommand c : commands) {
      try {
        peel(walk, c.getNewId(), peeled);
        if (!isZero(c.getNewId()) && !(walk.parseAny(c.getNewId()) instanceof RevCommit)) {
          notCommits.add(c.getNewId().copy());
        }
        if (checkOld && !peeled.containsKey(c.getOldId())) {
          peel(walk, c.getOldId(), peeled);
        }
        if (!isAllowNonFastForwards()) {
          c.updateType(walk);
          if (c.getType() == ReceiveCommand.Type.UPDATE_NONFASTFORWARD) {
            rewinds.add(c);
          }
        } else if (c.getType() == ReceiveCommand.Type.UPDATE && isRefLogIncludingResult(c)) {
          updateType(walk, c);
        }
      } catch (MissingObjectException e) {
        missing.add(c);
      }
    }
    return new BatchRules.Objects(peeled, notCommits, missing, rewinds);
  }

  /** Finds out whether a command rewinds, unless its caller has, as a push does. */
  private void updateType(RevWalk walk, ReceiveCommand c) throws IOException {
    try {
      c.updateType(walk);
    } catch (MissingObjectException e) {
      fromMissing.add(c);
    }
  }

  private static void peel(RevWalk walk, ObjectId id, Map<ObjectId, Optional<ObjectId>> peeled)
      throws IOException {
    if (!isZero(id) && !peeled.containsKey(id)) {
      peeled.put(id.copy(), S3RefDatabase.peel(walk, id));
    }
  }

  private void commit(BatchRules rules) {
    List<ReceiveCommand> commands = rules.commands();
    try {
      List<Result> results =
          database.commitBatch(new Transaction(rules), () -> tips(rules), bytes(rules));
      for (int i = 0; i < commands.size(); i++) {
        ReceiveCommand c = commands.get(i);
        switch (results.get(i)) {
          case REJECTED_NOCREATE -> c.setResult(REJECTED_OTHER_REASON, RefNames.BOUNDS);
          case REJECTED_OTHER_REASON -> c.setResult(REJECTED_OTHER_REASON, notACommit(c));
          default -> c.setResult(results.get(i));
        }
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

  /** Git's text for a branch that would point to another object than a commit. */
  private static String notACommit(ReceiveCommand c) {
    return String.format(
        "cannot update ref '%1$s': trying to write non-commit object %2$s to branch '%1$s'",
        c.getRefName(), c.getNewId().name());
  }

  private static boolean isZero(ObjectId id) {
    return ObjectId.zeroId().equals(id);
  }

  private static Set<ObjectId> tips(BatchRules rules) {
    Set<ObjectId> tips = new HashSet<>();
    for (ReceiveCommand c : rules.commands()) {
      if (!isZero(c.getNewId()) && !rules.objects().missing().contains(c)) {
        tips.add(c.getNewId().copy());
      }
    }
    return tips;
  }

  /**
   * Estimates the bytes that a batch adds to the manifest, in the overlay and in the log. Stops
   * counting once no manifest can hold them.
   */
  private static long bytes(BatchRules rules) {
    long bytes = 0;
    for (ReceiveCommand c : rules.commands()) {
      if (bytes > Manifest.MAX_BYTES) {
        break;
      }
      long ids = 2;
      ids += isZero(c.getOldId()) ? 0 : 1;
      ids += rules.objects().peeledOf(c.getNewId()).isPresent() ? 1 : 0;
      bytes += 2L * utf8(c.getRefName()) + PER_REF + ids * PER_ID;
    }
    return bytes;
  }

  private static long utf8(String name) {
    return name.chars().mapToLong(c -> c < 0x80 ? 1 : 3).sum();
  }

  /**
   * The batch as a transaction, which the commit loop may try on several states of the refs in
   * turn.
   */
  private final class Transaction implements RefTransaction<List<Result>> {
    private final BatchRules rules;

    Transaction(BatchRules rules) {
      this.rules = rules;
    }

    @Override
    public Outcome<List<Result>> apply(RefEdits edits) {
      return S3BatchRefUpdate.this.apply(edits, rules);
    }

    @Override
    public Optional<Complete<List<Result>>> applyAtOnce(RefView view) {
      return rules.checkAtOnce(view, oneByOne(rules.commands())).map(this::complete);
    }

    private Complete<List<Result>> complete(BulkUpdate.Checked batch) {
      Result[] results = new Result[rules.commands().size()];
      Arrays.fill(results, OK);
      Outcome<List<Result>> outcome = new Outcome<>(Arrays.asList(results), logged(batch));
      return new Complete<>(batch.changes(), Optional.empty(), outcome);
    }
  }

  /** Records of a batch of which every command was done, and none concerned a symbolic ref. */
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

  private Outcome<List<Result>> apply(RefEdits edits, BatchRules rules) {
    boolean oneByOne = oneByOne(rules.commands());
    Result[] results = oneByOne ? rules.applyOneByOne(edits) : rules.applyAll(edits);
    List<Logged> logged = logged(rules.commands(), results, (c, to) -> changes(edits, c, to));
    return new Outcome<>(List.of(results), logged);
  }

  /** Adds the change of a command for a ref that is not symbolic. */
  private static void plain(ReceiveCommand c, List<RefChange> to) {
    to.add(new RefChange(c.getRefName(), c.getOldId().copy(), c.getNewId().copy()));
  }

  /** Adds the changes of a command whose ref, or the one it leads to, may be symbolic. */
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
      if (!isZero(c.getNewId())) {
        to.add(through.linked(was, was));
      }
    }
  }

  /**
   * Records of the commands that were done, in the order in which they were made. A record has all
   * changes with its message, unless a ref is changed twice: what is made after that is in records
   * of its own, so that the changes of each ref keep their order.
   */
  private List<Logged> logged(
      List<ReceiveCommand> commands,
      Result[] results,
      BiConsumer<ReceiveCommand, List<RefChange>> recording) {
    PersonIdent who = database.identity(getRefLogIdent());
    boolean oneByOne = oneByOne(commands); // like RefDirectory, logs no-ops only if atomic
    List<Logged> records = new ArrayList<>();
    Map<String, List<RefChange>> byMessage = new LinkedHashMap<>();
    Set<String> changed = new HashSet<>();
    for (int i : BatchRules.order(commands)) {
      if (results[i] == OK && !(oneByOne && BatchRules.changesNothing(commands.get(i)))) {
        ReceiveCommand c = commands.get(i);
        List<RefChange> changes = new ArrayList<>();
        recording.accept(c, changes);
        if (changes.stream().anyMatch(change -> changed.contains(change.ref()))) {
          byMessage.forEach((message, its) -> records.add(new Logged(who, message, its)));
          byMessage.clear();
          changed.clear();
        }
        changes.forEach(change -> changed.add(change.ref()));
        byMessage.computeIfAbsent(message(c), m -> new ArrayList<>()).addAll(changes);
      }
    }
    byMessage.forEach((message, its) -> records.add(new Logged(who, message, its)));
    return records;
  }

  private String message(ReceiveCommand c) {
    String suffix =
        switch (c.getType()) {
          case CREATE -> ReflogEntry.PREFIX_CREATED;
          case UPDATE ->
              fromMissing.contains(c)
                  ? ReflogEntry.PREFIX_FORCED_UPDATE
                  : ReflogEntry.PREFIX_FAST_FORWARD;
          case UPDATE_NONFASTFORWARD -> ReflogEntry.PREFIX_FORCED_UPDATE;
          case DELETE -> "";
        };
    return S3RefDatabase.message(
        isRefLogDisabled(c) ? null : getRefLogMessage(c), isRefLogIncludingResult(c) ? suffix : "");
  }
}

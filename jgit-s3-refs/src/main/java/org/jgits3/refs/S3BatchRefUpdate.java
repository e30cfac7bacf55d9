// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import static org.eclipse.jgit.transport.ReceiveCommand.Result.LOCK_FAILURE;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.NOT_ATTEMPTED;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.OK;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_MISSING_OBJECT;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_NONFASTFORWARD;
import static org.eclipse.jgit.transport.ReceiveCommand.Result.REJECTED_OTHER_REASON;

import java.io.IOException;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.refs.RefTransaction.Logged;
import org.jgits3.refs.RefTransaction.Outcome;

/**
 * A batch of commands in one transaction, whether atomic or not: a batch that is not atomic commits
 * the commands that can be done and refuses the others one by one.
 */
final class S3BatchRefUpdate extends BatchRefUpdate {
  /** Bytes of manifest above which the refs go to a new snapshot with the batch. */
  private static final long LARGE = 64 << 10;

  private static final String UNKNOWN = "outcome unknown; fetch before retrying";

  private final S3RefDatabase database;

  S3BatchRefUpdate(S3RefDatabase database) {
    super(database);
    this.database = database;
  }

  @Override
  public void execute(RevWalk walk, ProgressMonitor monitor, @Nullable List<String> options)
      throws IOException {
    if (pending().isEmpty() || !blockUntilTimestamps(MAX_WAIT)) {
      return;
    }
    if (options != null) {
      setPushOptions(options);
    }
    monitor.beginTask(JGitText.get().updatingReferences, getCommands().size());
    Map<ObjectId, Optional<ObjectId>> peeled = new HashMap<>();
    if (checkObjects(walk, peeled) && checkFastForwards(walk)) {
      commit(pending(), peeled);
    }
    monitor.update(getCommands().size());
    monitor.endTask();
  }

  private List<ReceiveCommand> pending() {
    return ReceiveCommand.filter(getCommands(), NOT_ATTEMPTED);
  }

  /** Refuses commands whose new object is missing; false if that ends the batch. */
  private boolean checkObjects(RevWalk walk, Map<ObjectId, Optional<ObjectId>> peeled)
      throws IOException {
    for (ReceiveCommand c : pending()) {
      ObjectId id = c.getNewId();
      if (ObjectId.zeroId().equals(id) || peeled.containsKey(id)) {
        continue;
      }
      try {
        peeled.put(id.copy(), S3RefDatabase.peel(walk, id));
      } catch (MissingObjectException e) {
        c.setResult(REJECTED_MISSING_OBJECT);
        if (isAtomic()) {
          ReceiveCommand.abort(getCommands());
          return false;
        }
      }
    }
    return true;
  }

  /** Refuses commands that would lose history; false if that ends the batch. */
  private boolean checkFastForwards(RevWalk walk) throws IOException {
    if (isAllowNonFastForwards()) {
      return true;
    }
    for (ReceiveCommand c : pending()) {
      try {
        c.updateType(walk);
      } catch (MissingObjectException e) {
        c.setResult(REJECTED_MISSING_OBJECT);
      }
      if (c.getType() == ReceiveCommand.Type.UPDATE_NONFASTFORWARD) {
        c.setResult(REJECTED_NONFASTFORWARD);
      }
      if (isAtomic() && c.getResult() != NOT_ATTEMPTED) {
        ReceiveCommand.abort(getCommands());
        return false;
      }
    }
    return true;
  }

  private void commit(List<ReceiveCommand> commands, Map<ObjectId, Optional<ObjectId>> peeled) {
    if (commands.isEmpty()) {
      return;
    }
    long bytes = commands.stream().mapToLong(c -> c.getRefName().length() + 170L).sum();
    try {
      List<Boolean> done = database.commit(edits -> apply(edits, commands, peeled), bytes > LARGE);
      for (int i = 0; i < commands.size(); i++) {
        commands.get(i).setResult(done.get(i) ? OK : LOCK_FAILURE);
      }
      if (isAtomic() && done.contains(false)) {
        blame(commands, done.indexOf(false));
      }
    } catch (UnknownOutcomeException e) {
      commands.forEach(c -> c.setResult(REJECTED_OTHER_REASON, UNKNOWN));
    } catch (IOException e) {
      String why = MessageFormat.format(JGitText.get().lockError, e.getMessage());
      commands.forEach(c -> c.setResult(REJECTED_OTHER_REASON, why));
    }
  }

  private static void blame(List<ReceiveCommand> commands, int culprit) {
    for (int i = 0; i < commands.size(); i++) {
      if (i != culprit) {
        commands.get(i).setResult(NOT_ATTEMPTED);
      }
    }
    ReceiveCommand.abort(commands);
  }

  /**
   * Makes the commands' changes: deletions first, since they may free names for the others.
   *
   * @return which commands can be done; if the batch is atomic and one cannot, nothing is changed
   */
  private Outcome<List<Boolean>> apply(
      RefEdits edits, List<ReceiveCommand> commands, Map<ObjectId, Optional<ObjectId>> peeled) {
    RefEdits trial = isAtomic() ? edits.copy() : edits;
    boolean[] done = new boolean[commands.size()];
    for (boolean deletes : new boolean[] {true, false}) {
      for (int i = 0; i < done.length; i++) {
        ReceiveCommand c = commands.get(i);
        if ((c.getType() == ReceiveCommand.Type.DELETE) == deletes) {
          done[i] = applyOne(trial, c, peeled);
        }
      }
    }
    List<Boolean> verdict = new ArrayList<>(done.length);
    for (boolean d : done) {
      verdict.add(d);
    }
    if (isAtomic()) {
      if (verdict.contains(false)) {
        return Outcome.unchanged(verdict);
      }
      edits.addAll(trial);
    }
    return new Outcome<>(verdict, logged(commands, verdict));
  }

  private static boolean applyOne(
      RefEdits edits, ReceiveCommand c, Map<ObjectId, Optional<ObjectId>> peeled) {
    String name =
        c.getOldSymref() != null || c.getNewSymref() != null
            ? c.getRefName()
            : edits.leaf(c.getRefName());
    if (!matches(edits, name, c)) {
      return false;
    }
    if (c.getNewSymref() == null && ObjectId.zeroId().equals(c.getNewId())) {
      edits.delete(name);
      return true;
    }
    if (!edits.exists(name) && edits.conflicting(name)) {
      return false;
    }
    if (c.getNewSymref() != null) {
      edits.link(name, c.getNewSymref());
    } else {
      ObjectId id = c.getNewId();
      edits.put(name, new RefValue.Direct(id.copy(), peeled.get(id)));
    }
    return true;
  }

  private static boolean matches(RefEdits edits, String name, ReceiveCommand c) {
    Optional<String> symbolic = edits.symbolic(name);
    if (c.getOldSymref() != null || symbolic.isPresent()) {
      return symbolic.equals(Optional.ofNullable(c.getOldSymref()));
    }
    ObjectId now = edits.direct(name).map(RefValue.Direct::id).orElse(ObjectId.zeroId());
    return now.equals(c.getOldId());
  }

  private List<Logged> logged(List<ReceiveCommand> commands, List<Boolean> done) {
    PersonIdent who = database.identity(getRefLogIdent());
    Map<String, List<RefChange>> byMessage = new LinkedHashMap<>();
    for (int i = 0; i < commands.size(); i++) {
      if (done.get(i)) {
        ReceiveCommand c = commands.get(i);
        byMessage
            .computeIfAbsent(message(c), m -> new ArrayList<>())
            .add(new RefChange(c.getRefName(), c.getOldId().copy(), c.getNewId().copy()));
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

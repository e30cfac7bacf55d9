// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import static org.eclipse.jgit.lib.Constants.R_REFS;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.manifest.RefValue;

/**
 * Tells in one pass over a batch, in the order of names, whether every command of it can be done.
 * It never says yes to a batch of which a command would be refused; where it cannot tell, it says
 * no, and the commands are looked at one by one. Used by one thread, once.
 */
final class BulkUpdate {
  private static final Comparator<ReceiveCommand> BY_NAME =
      Comparator.comparing(ReceiveCommand::getRefName, RefOrder.INSTANCE);

  private final RefView view;

  /** Names under {@code refs/} of symbolic refs, of which there are few. */
  private final List<String> links;

  /** Whether the refs are none, so that most look-ups need not be made. */
  private final boolean empty;

  /** Names to be created of which the next one may be below: each is the beginning of the next. */
  private final Deque<String> open = new ArrayDeque<>();

  /** Name created before; what it has in common with the next need not be looked at again. */
  private String before = "";

  BulkUpdate(RefView view) {
    this.view = view;
    this.links = view.refs().symrefs().keySet().stream().filter(n -> n.startsWith(R_REFS)).toList();
    this.empty = view.isEmpty();
  }

  /**
   * A batch of which every command can be done.
   *
   * @param changes what becomes of the refs
   * @param commands the commands in the order of names
   */
  record Checked(ChangedRefs changes, List<ReceiveCommand> commands) {}

  /** Says what an object leads to, if it is an annotated tag. */
  @FunctionalInterface
  interface Peeler {
    Optional<ObjectId> peel(ObjectId id);
  }

  /**
   * Checks a batch.
   *
   * @param commands the batch; its objects exist and may replace those there are
   * @param peeler knows all new objects
   * @return the batch; empty if a command would be refused, or might be
   */
  Optional<Checked> check(List<ReceiveCommand> commands, Peeler peeler) {
    ReceiveCommand[] sorted = commands.toArray(new ReceiveCommand[0]);
    if (!isSorted(sorted)) {
      Arrays.sort(sorted, BY_NAME);
    }
    String[] names = new String[sorted.length];
    RefValue[] values = new RefValue[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      ReceiveCommand c = sorted[i];
      names[i] = c.getRefName();
      boolean twice = i > 0 && names[i - 1].equals(names[i]);
      if (twice || !possible(c)) {
        return Optional.empty();
      }
      values[i] = value(c, peeler);
    }
    return Optional.of(
        new Checked(
            ChangedRefs.sorted(names, values),
            Collections.unmodifiableList(Arrays.asList(sorted))));
  }

  private static boolean isSorted(ReceiveCommand[] commands) {
    for (int i = 1; i < commands.length; i++) {
      String before = commands[i - 1].getRefName();
      if (RefOrder.INSTANCE.compare(before, commands[i].getRefName()) > 0) {
        return false;
      }
    }
    return true;
  }

  private static RefValue value(ReceiveCommand c, Peeler peeler) {
    ObjectId id = c.getNewId();
    return isZero(id) ? RefValue.DELETED : new RefValue.Direct(id.copy(), peeler.peel(id));
  }

  private static boolean isZero(AnyObjectId id) {
    return id.equals(ObjectId.zeroId());
  }

  private boolean possible(ReceiveCommand c) {
    String name = c.getRefName();
    boolean symbolic = c.getOldSymref() != null || c.getNewSymref() != null;
    if (symbolic || !name.startsWith(R_REFS) || view.symbolic(name).isPresent()) {
      return false;
    }
    Optional<RefValue.Direct> now = empty ? Optional.empty() : view.direct(name);
    boolean asExpected =
        now.isPresent() ? now.get().id().equals(c.getOldId()) : isZero(c.getOldId());
    if (!asExpected) {
      return false;
    }
    return now.isPresent() || (!isZero(c.getNewId()) && creatable(name));
  }

  private boolean creatable(String name) {
    if (!storable(name)) {
      return false;
    }
    while (!open.isEmpty() && !name.startsWith(open.peek())) {
      open.pop();
    }
    for (String parent : open) {
      if (name.charAt(parent.length()) == '/') {
        return false;
      }
    }
    open.push(name);
    boolean free = empty || (!belowExisting(name) && view.below(name, 1).isEmpty());
    before = name;
    return free && besideSymbolic(name);
  }

  private static boolean storable(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c <= ' ' || c == 0x7f) {
        return false;
      }
    }
    return true;
  }

  /** Whether an existing ref is a directory of this name, one that the name before was not in. */
  private boolean belowExisting(String name) {
    int common = 0;
    int most = Math.min(name.length(), before.length());
    while (common < most && name.charAt(common) == before.charAt(common)) {
      common++;
    }
    for (int slash = name.lastIndexOf('/');
        slash >= common;
        slash = name.lastIndexOf('/', slash - 1)) {
      if (view.exists(name.substring(0, slash))) {
        return true;
      }
    }
    return false;
  }

  /** Whether no symbolic ref is a directory of this name; those in it are among the refs below. */
  private boolean besideSymbolic(String name) {
    for (String link : links) {
      if (name.startsWith(link + '/') || link.startsWith(name + '/')) {
        return false;
      }
    }
    return true;
  }
}

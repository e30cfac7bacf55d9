// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.eclipse.jgit.lib.Constants.R_REFS;

import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.internal.refs.table.RefOrder;
import org.jgits3.manifest.RefValue;

/**
 * Checks in one pass over a batch, in the order of names, that every command of it can be done.
 * Never accepts a batch of which a command would be refused. A batch that it does not accept is
 * decided command by command. Used by one thread, once.
 */
public final class BulkUpdate {
  private static final Comparator<ReceiveCommand> BY_NAME =
      Comparator.comparing(ReceiveCommand::getRefName, RefOrder.INSTANCE);

  private final RefView view;

  /** Names under {@code refs/} of symbolic refs, of which there are few. */
  private final List<String> links;

  /** True if there are no refs, which makes most look-ups needless. */
  private final boolean empty;

  /**
   * Bytes of the names to be created that this one begins with, shortest first: it may be below one
   * of them.
   */
  private int[] open = new int[16];

  private int opened;

  /**
   * Last name to be created that was checked; directories that it shares with the next one are not
   * checked again.
   */
  private String before = "";

  public BulkUpdate(RefView view) {
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
  public record Checked(RefDelta changes, List<ReceiveCommand> commands) {}

  /**
   * Checks a batch.
   *
   * @param commands the batch; its objects exist and may replace those there are
   * @param peeler knows all new objects
   * @return the batch; empty if a command would be refused, or might be
   */
  public Optional<Checked> check(
      List<ReceiveCommand> commands, Function<ObjectId, Optional<ObjectId>> peeler) {
    ReceiveCommand[] sorted = commands.toArray(new ReceiveCommand[0]);
    Optional<RefNames> ascending = names(sorted);
    if (ascending.isEmpty()) {
      Arrays.sort(sorted, BY_NAME);
      ascending = names(sorted);
    }
    if (ascending.filter(n -> n.storable() && n.allBeginWith(R_REFS)).isEmpty()) {
      return Optional.empty(); // a name twice, one to be refused, or one outside refs/
    }
    RefNames names = ascending.get();
    ObjectId[] ids = new ObjectId[sorted.length];
    ObjectId[] peeled = new ObjectId[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      ReceiveCommand c = sorted[i];
      if (!possible(c, names, i)) {
        return Optional.empty();
      }
      if (!isZero(c.getNewId())) {
        ids[i] = c.getNewId().copy();
        peeled[i] = peeler.apply(ids[i]).orElse(null);
      }
    }
    return Optional.of(
        new Checked(
            new RefDelta(names, ids, peeled), Collections.unmodifiableList(Arrays.asList(sorted))));
  }

  private static Optional<RefNames> names(ReceiveCommand[] commands) {
    return RefNames.ascending(commands.length, i -> commands[i].getRefName());
  }

  private static boolean isZero(AnyObjectId id) {
    return id.equals(ObjectId.zeroId());
  }

  private boolean possible(ReceiveCommand c, RefNames names, int i) {
    String name = c.getRefName();
    boolean symbolic = c.getOldSymref() != null || c.getNewSymref() != null;
    if (symbolic || links.contains(name)) {
      return false;
    }
    Optional<RefValue.Direct> now = empty ? Optional.empty() : view.direct(name);
    boolean asExpected =
        now.isPresent() ? now.get().id().equals(c.getOldId()) : isZero(c.getOldId());
    if (!asExpected) {
      return false;
    }
    boolean below = belowCreated(names, i);
    if (now.isPresent()) {
      return true;
    }
    open(names.length(i));
    return !isZero(c.getNewId()) && !below && creatable(name);
  }

  /** Tests whether a name to be created is a directory of this one. */
  private boolean belowCreated(RefNames names, int i) {
    int common = names.common(i);
    while (opened > 0 && open[opened - 1] > common) {
      opened--;
    }
    byte[] bytes = names.bytes();
    for (int k = 0; k < opened; k++) {
      if (bytes[names.start(i) + open[k]] == '/') {
        return true;
      }
    }
    return false;
  }

  private void open(int length) {
    open = opened == open.length ? Arrays.copyOf(open, 2 * opened) : open;
    open[opened++] = length;
  }

  private boolean creatable(String name) {
    boolean free = empty || (!belowExisting(name) && view.below(name, 1).isEmpty());
    before = name;
    return free && besideSymbolic(name);
  }

  /** Tests whether an existing ref is a directory of this name and not of the name before. */
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

  /**
   * Tests whether no symbolic ref is a directory of this name; those in it are among the refs
   * below.
   */
  private boolean besideSymbolic(String name) {
    for (String link : links) {
      if (name.startsWith(link + '/') || link.startsWith(name + '/')) {
        return false;
      }
    }
    return true;
  }
}

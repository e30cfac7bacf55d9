// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jgits3.internal.commit.Proposal.Edit;
import org.jgits3.internal.concurrent.Uninterrupted;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;

/**
 * Pack that is in the store and that no manifest has listed before. Any number of changes may be
 * committed with it, also at the same time: the first of them that alters the manifest lists it.
 * The decision of a change is also that of its packs, so that a pack that was listed is never
 * listed again, even if another process has replaced it meanwhile.
 *
 * <p>Safe for use by many threads.
 */
public class UnlistedPack {
  /** States of a pack. A hidden pack gets another state, and one in doubt may. */
  public enum State {
    /** Listed by no manifest. */
    HIDDEN,
    /** Was listed; the manifest tells whether it still is. */
    LISTED,
    /** A commit that lists it may have been applied, or may still be. */
    IN_DOUBT,
    /** No manifest will ever list it. */
    FORGOTTEN
  }

  private final PackEntry entry;
  private State state = State.HIDDEN; // guarded by this
  private int undecided; // changes with it; guarded by this
  private boolean proposed; // guarded by this

  /**
   * A hidden pack.
   *
   * @param entry its entry for a manifest
   */
  protected UnlistedPack(PackEntry entry) {
    this.entry = entry;
  }

  /**
   * Entry of the pack for a manifest.
   *
   * @return the entry
   */
  public final PackEntry entry() {
    return entry;
  }

  /**
   * State of the pack. {@link State#LISTED} only once the manifest of that commit, or a newer one,
   * is known to this process.
   *
   * @return the state
   */
  public final synchronized State state() {
    return state;
  }

  /** Waits until no change with the pack is undecided. */
  public final void awaitDecisions() {
    Uninterrupted.await(
        () -> {
          synchronized (this) {
            while (undecided > 0) {
              wait();
            }
          }
        });
  }

  /**
   * Forgets the pack, unless it is or may be listed, or a change with it is undecided.
   *
   * @return true if no manifest will ever list it
   */
  public final synchronized boolean forget() {
    if (state != State.HIDDEN || undecided > 0) {
      return false;
    }
    state = State.FORGOTTEN;
    return true;
  }

  /** Notes that a sweep has deleted the pack. */
  public final synchronized void swept() {
    if (!forget() && state == State.IN_DOUBT) {
      state = State.FORGOTTEN;
    }
  }

  /** Notes that a manifest lists the pack, so that the change was applied which listed it. */
  public final synchronized void listed() {
    state = State.LISTED;
  }

  /**
   * Tests whether a manifest that lists the pack may have been sent to the store.
   *
   * @return false if none was, so that the files of a forgotten pack can be deleted
   */
  public final synchronized boolean wasProposed() {
    return proposed;
  }

  /** Notes that a change with the pack was handed to the commit loop. */
  final synchronized void enter() {
    undecided++;
  }

  /**
   * Notes that a change with the pack is decided. Allocates nothing, because the heap may be full.
   *
   * @param lists true if the manifest was altered
   * @param doubtful true if that is not known
   */
  final synchronized void leave(boolean lists, boolean doubtful) {
    undecided--;
    notifyAll();
    if (lists) {
      state = State.LISTED;
    } else if (doubtful && state == State.HIDDEN) {
      state = State.IN_DOUBT;
    }
  }

  /** Tests whether a manifest has to list the pack, because none has. */
  private synchronized boolean propose() throws LostException {
    if (state == State.LISTED) {
      return false;
    }
    if (state != State.HIDDEN) {
      throw new LostException(entry.id());
    }
    proposed = true;
    return true;
  }

  /**
   * Makes a proposal list packs. Packs are listed first, none of them depends on a later one.
   *
   * @param proposal proposal of a change
   * @param base manifest that it was made for
   * @param packs packs of the change
   * @return the proposal with them; no edit if nothing is left to change
   * @throws LostException if the change may rely on a pack that may never be listed
   */
  static <R> Proposal<R> list(Proposal<R> proposal, Manifest base, List<UnlistedPack> packs)
      throws LostException {
    if (packs.isEmpty() || !(proposal instanceof Edit<R> edit)) {
      return proposal;
    }
    Set<String> listed =
        edit.next().packs().stream().map(PackEntry::id).collect(Collectors.toSet());
    List<PackEntry> all = new ArrayList<>();
    for (UnlistedPack pack : packs) {
      if (!listed.contains(pack.entry.id()) && pack.propose()) {
        all.add(pack.entry);
      }
    }
    if (all.isEmpty()) {
      return edit.next().equals(base) ? Proposal.noEdit(edit.verdict()) : edit;
    }
    all.addAll(edit.next().packs());
    return Proposal.edit(edit.next().withPacks(all), edit.verdict());
  }

  /** Thrown if a change may rely on a pack that may never be listed. */
  public static final class LostException extends IOException {
    private static final long serialVersionUID = 1;

    LostException(String id) {
      super("pack " + id + ", received before, may not have been published; fetch and push again");
    }
  }
}

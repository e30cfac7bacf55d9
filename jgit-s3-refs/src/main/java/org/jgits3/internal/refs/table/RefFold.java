// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.util.Optional;
import org.jgits3.manifest.RefValue;

/**
 * Changes folded into the tables of a repository, of which one is written anew: the recent table,
 * or the base with all that is recent. Every process makes the same table of the same two, byte for
 * byte. Immutable.
 *
 * <p>With n changes in a fold and N refs, a recent table of r refs is written r/n times until it
 * gives way to a base of N refs. What is written for each change is least if r is the root of 2nN:
 * then the recent tables take as many bytes as the base.
 */
public final class RefFold {
  /** Entries of the overlay that make a fold due, and so the changes of most folds. */
  public static final int CHANGES = 1000;

  /** Refs below which the base is rewritten often, and no recent table would save much. */
  public static final int FEW = 32_000;

  private final RefTable table;
  private final RefDelta changes;
  private final boolean rebase;
  private final SnapshotMerge merge;

  private RefFold(RefTable table, RefDelta changes, boolean rebase) {
    this.table = table;
    this.changes = changes;
    this.rebase = rebase;
    this.merge =
        rebase
            ? new SnapshotMerge(table.base(), RefDelta.of(table.recent()).then(changes))
            : new SnapshotMerge(table.recent(), changes.marked());
  }

  /**
   * Folds changes where they cost least: into the recent table also if a base would be too large
   * for an array, so that refs can still be deleted. Never makes an empty recent table.
   *
   * @param table refs before
   * @param changes changes of some of them; all names begin with {@code refs/}
   * @return the result
   */
  public static RefFold of(RefTable table, RefDelta changes) {
    long refs = table.base().size();
    long recent = (long) table.recent().size() + changes.size();
    boolean rebase = refs < FEW || recent == 0 || recent * recent > 2 * CHANGES * refs;
    RefFold fold = new RefFold(table, changes, rebase);
    boolean fits = !rebase || fold.merge.size() <= PackedRefsTable.LARGEST;
    return fits || recent == 0 ? fold : intoRecent(table, changes);
  }

  /**
   * Folds changes into the base.
   *
   * @param table refs before
   * @param changes changes of some of them
   * @return the result, which has no recent table
   */
  public static RefFold intoBase(RefTable table, RefDelta changes) {
    return new RefFold(table, changes, true);
  }

  /**
   * Folds changes into the recent table.
   *
   * @param table refs before
   * @param changes changes of some of them
   * @return the result, with the same base
   */
  public static RefFold intoRecent(RefTable table, RefDelta changes) {
    return new RefFold(table, changes, false);
  }

  /** Tests whether it leaves the tables as they are. */
  public boolean isEmpty() {
    return changes.size() == 0 && (!rebase || table.recent().size() == 0);
  }

  /** Tests whether the base is written, so that there is no recent table. */
  public boolean isBase() {
    return rebase;
  }

  /** The table that is written. */
  public SnapshotMerge merge() {
    return merge;
  }

  /**
   * Value of a ref afterwards.
   *
   * @param name full name
   * @return the value; empty if there is no such ref in the tables
   */
  public Optional<RefValue.Direct> value(String name) {
    Optional<RefValue> changed = changes.get(name);
    return changed.isEmpty()
        ? table.value(name)
        : changed.filter(RefValue.Direct.class::isInstance).map(RefValue.Direct.class::cast);
  }

  /**
   * All refs afterwards.
   *
   * @param written the table that was written, as {@link SnapshotMerge#build} makes it
   * @return its refs, and those of the base if that is another table
   */
  public RefTable with(PackedRefsTable written) {
    return rebase ? new RefTable(written) : new RefTable(table.base(), written);
  }
}

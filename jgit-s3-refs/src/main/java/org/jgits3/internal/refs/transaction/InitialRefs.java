// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.RandomAccess;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.jgits3.internal.refs.log.BlockFileWriter;
import org.jgits3.internal.refs.log.PreparedChanges;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.manifest.RefChange;

/**
 * Creates the first refs of a repository, which has at most symbolic ones. However many they are,
 * they take only the memory of their table, which becomes the snapshot unchanged. Immutable.
 */
public final class InitialRefs implements RefTransaction<Integer> {
  /** Estimated bytes of a ref and of its change in a manifest, besides two times its line. */
  private static final int PER_REF = 22;

  private final PackedRefsTable table;
  private final Logged logged;

  /**
   * Creates a transaction.
   *
   * @param table refs to create: valid names, objects that exist, and their peeled values
   * @param who identity for the log
   * @param message reflog message
   * @throws IOException if the name of a ref is a directory of another
   */
  public InitialRefs(PackedRefsTable table, PersonIdent who, String message) throws IOException {
    int nested = table.nested();
    if (nested >= 0) {
      throw refused(table.name(nested));
    }
    this.table = table;
    this.logged = new Logged(who, message, new Created(table));
  }

  private static IOException refused(String name) {
    return new IOException(name + " was not made: another ref has its name or is in its way");
  }

  /** Estimates what they add to a manifest, as {@link SharedRefs#commitBatch} asks. */
  public long bytes() {
    return 2 * table.lineBytes(0, table.size()) + (long) PER_REF * table.size();
  }

  @Override
  public Outcome<Integer> apply(RefEdits edits) throws IOException {
    for (int i = 0; i < table.size(); i++) {
      String name = table.name(i);
      if (edits.exists(name) || edits.conflicting(name)) {
        throw refused(name);
      }
      edits.put(name, table.value(i));
    }
    return outcome();
  }

  private Outcome<Integer> outcome() {
    return new Outcome<>(table.size(), List.of(logged));
  }

  @Override
  public Optional<Complete<Integer>> applyAtOnce(RefView view) {
    return view.isEmpty()
            && view.refs().tableIds().isEmpty()
            && view.refs().symrefs().keySet().stream().allMatch(this::isBeside)
        ? Optional.of(new Complete<>(RefDelta.NONE, Optional.of(table), outcome()))
        : Optional.empty();
  }

  /**
   * Tests whether a symbolic ref neither has the name of one of these refs nor conflicts with one.
   */
  private boolean isBeside(String link) {
    return table.find(link) < 0
        && RefNames.directory(link, directory -> table.find(directory) >= 0).isEmpty()
        && table.range(link + '/').size() == 0;
  }

  /** The creations, made up on demand, because few of very many are looked at. */
  private static final class Created extends AbstractList<RefChange>
      implements RandomAccess, PreparedChanges {
    private final PackedRefsTable table;

    Created(PackedRefsTable table) {
      this.table = table;
    }

    @Override
    public RefChange get(int index) {
      return new RefChange(table.name(index), ObjectId.zeroId(), table.value(index).id());
    }

    @Override
    public int size() {
      return table.size();
    }

    @Override
    public void writeTo(BlockFileWriter writer) throws IOException {
      table.forEach(
          0,
          table.size(),
          (bytes, start, end, peeled) ->
              writer.change(
                  bytes,
                  start + PackedRefsTable.NAME,
                  end,
                  ObjectId.zeroId(),
                  ObjectId.fromString(bytes, start)));
    }
  }
}

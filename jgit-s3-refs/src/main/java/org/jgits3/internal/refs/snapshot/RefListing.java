// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefOrder;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/**
 * Selected refs of a view, in the order of the table. Ranges that are not selected are found by
 * search and never visited. Used by one thread.
 */
final class RefListing {
  private final RefView view;
  private final RefTable table;
  private final RefSelection selection;

  RefListing(RefView view, RefSelection selection) {
    this.view = view;
    this.table = view.table();
    this.selection = selection;
  }

  /**
   * Refs of the table that follow each other, and perhaps a ref of the manifest after them.
   *
   * @param from index of the first ref of the table
   * @param to index after the last one
   * @param then ref of the manifest that follows
   */
  record Run(int from, int to, Optional<Ref> then) {
    int size() {
      return to - from + (then.isPresent() ? 1 : 0);
    }
  }

  /**
   * Entry of the manifest, and the position of its name in the table.
   *
   * @param ref the ref; empty if it was deleted, or is symbolic and leads nowhere
   */
  private record ManifestEntry(int found, String name, Optional<Ref> ref) {
    int at() {
      return found >= 0 ? found : -(found + 1);
    }

    /** Index of the first ref of the table that follows the entry and is not replaced by it. */
    int after() {
      return found >= 0 ? found + 1 : at();
    }
  }

  /** Finds the refs. */
  List<Run> runs() {
    List<Run> runs = new ArrayList<>();
    List<ManifestEntry> entries = entries();
    int next = 0;
    for (PackedRefsTable.Range range : selection.ranges(table)) {
      int at = range.from();
      while (next < entries.size() && entries.get(next).at() < range.to()) {
        ManifestEntry entry = entries.get(next++);
        runs.add(new Run(at, Math.max(at, entry.at()), entry.ref()));
        at = Math.max(at, entry.after());
      }
      runs.add(new Run(at, Math.max(at, range.to()), Optional.empty()));
    }
    for (ManifestEntry entry : entries.subList(next, entries.size())) {
      runs.add(new Run(0, 0, entry.ref()));
    }
    return runs;
  }

  /**
   * Creates the refs.
   *
   * @return refs in order of {@link String#compareTo}
   */
  List<Ref> list() {
    List<Run> runs = runs();
    List<Ref> refs = new ArrayList<>(runs.stream().mapToInt(Run::size).sum());
    new RefIterator(runs).forEachRemaining(refs::add);
    refs.sort(Comparator.comparing(Ref::getName)); // nearly sorted already: one comparison each
    return refs;
  }

  /** Creates the refs one by one, in the order of the table. */
  Iterator<Ref> refs() {
    return new RefIterator(runs());
  }

  private final class RefIterator implements Iterator<Ref> {
    private final Iterator<Run> runs;
    private Iterator<RefTable.Slice> slices = Collections.emptyIterator();
    private RefTable.Slice slice = new RefTable.Slice(PackedRefsTable.EMPTY, 0, 0);
    private int next;

    /** Ref of the manifest after the slices. */
    private Optional<Ref> then = Optional.empty();

    RefIterator(List<Run> runs) {
      this.runs = runs.iterator();
    }

    @Override
    public boolean hasNext() {
      while (next == slice.to()) {
        if (slices.hasNext()) {
          slice = slices.next();
          next = slice.from();
        } else if (then.isPresent()) {
          return true;
        } else if (runs.hasNext()) {
          Run run = runs.next();
          slices = table.slices(run.from(), run.to());
          then = run.then();
        } else {
          return false;
        }
      }
      return true;
    }

    @Override
    public Ref next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      if (next < slice.to()) {
        return slice.table().ref(next++);
      }
      Ref ref = then.orElseThrow();
      then = Optional.empty();
      return ref;
    }
  }

  /** Entries of selected names in overlay and symbolic refs, in the order of the table. */
  private List<ManifestEntry> entries() {
    List<ManifestEntry> entries = new ArrayList<>();
    Refs refs = view.refs();
    selection
        .among(refs.overlay())
        .map(name -> entry(name, refs.overlay().get(name)))
        .forEach(entries::add);
    selection.among(refs.symrefs()).map(this::symbolic).forEach(entries::add);
    entries.sort(Comparator.comparing(ManifestEntry::name, RefOrder.INSTANCE));
    return entries;
  }

  private ManifestEntry entry(String name, RefValue value) {
    return new ManifestEntry(
        table.find(name),
        name,
        value instanceof RefValue.Direct d ? Optional.of(RefView.ref(name, d)) : Optional.empty());
  }

  private ManifestEntry symbolic(String name) {
    Optional<Ref> ref = Optional.ofNullable(view.exact(name));
    return new ManifestEntry(
        table.find(name), name, ref.filter(found -> found.getObjectId() != null));
  }
}

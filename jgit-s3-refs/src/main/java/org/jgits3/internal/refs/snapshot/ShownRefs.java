// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefLineSink;
import org.jgits3.internal.refs.table.RefOrder;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;

/**
 * The selected refs of a view, in the order of the table. Finds single refs without listing any,
 * and creates an object only for a ref that is asked for. Ranges that are not selected are found by
 * search and never visited. Immutable.
 */
public final class ShownRefs extends AbstractCollection<Ref> {
  private final RefView view;
  private final RefSelection selection;

  /**
   * Selects refs.
   *
   * @param view the view
   * @param selection the selection
   */
  public ShownRefs(RefView view, RefSelection selection) {
    this.view = view;
    this.selection = selection;
  }

  /**
   * Finds a ref.
   *
   * @param name full name
   * @return the ref; null if it does not exist, leads to no object or is not selected
   */
  @Nullable
  public Ref exact(String name) {
    return found(name).filter(ref -> ref.getObjectId() != null).orElse(null);
  }

  private Optional<Ref> found(String name) {
    return Optional.ofNullable(selection.has(name) ? view.exactRef(name) : null);
  }

  /**
   * Tests whether a ref points to an object, or to a tag of it.
   *
   * @param id the object
   * @return true if a selected ref does
   */
  public boolean hasTip(ObjectId id) {
    return view.anyTip(id, selection::has);
  }

  /**
   * Restricts the refs to names with one of some prefixes.
   *
   * @param prefixes the prefixes; none for all names
   * @return the refs
   */
  public ShownRefs under(List<String> prefixes) {
    return new ShownRefs(view, selection.under(prefixes));
  }

  /**
   * Leaves out one ref.
   *
   * @param name its full name
   * @return the other refs
   */
  public ShownRefs without(String name) {
    return new ShownRefs(view, selection.without(name));
  }

  /**
   * Finds a symbolic ref that leads to no ref.
   *
   * @param name its full name
   * @return the ref; empty if it exists, is not symbolic or is not selected
   */
  public Optional<Ref> unborn(String name) {
    return found(name).filter(ref -> ref.isSymbolic() && ref.getObjectId() == null);
  }

  /** Takes symbolic refs; the other parameters are those of {@link RefLineSink}. */
  @FunctionalInterface
  public interface SymbolicSink {
    /**
     * Takes a ref.
     *
     * @param ref the ref
     * @param bytes array that begins with its id and its name
     * @param end end of the name
     * @param peeled start of the peeled id; -1 if there is none
     * @throws IOException if it cannot be taken
     */
    void ref(Ref ref, byte[] bytes, int end, int peeled) throws IOException;
  }

  /**
   * Passes on the refs as bytes, of symbolic refs those of the object that they lead to.
   *
   * @param out receives them
   * @throws IOException if {@code out} fails
   */
  public void writeTo(RefLineSink out) throws IOException {
    writeTo(out, (ref, bytes, end, peeled) -> out.ref(bytes, 0, end, peeled));
  }

  /**
   * Passes on the refs as bytes.
   *
   * @param out receives those that are not symbolic
   * @param symbolic receives the others
   * @throws IOException if one of them fails
   */
  public void writeTo(RefLineSink out, SymbolicSink symbolic) throws IOException {
    for (Run run : runs()) {
      Iterator<RefTable.Slice> slices = view.table().slices(run.from(), run.to());
      while (slices.hasNext()) {
        slices.next().forEach(out);
      }
      if (run.then().isPresent()) {
        pass(run.then().get(), out, symbolic);
      }
    }
  }

  private static void pass(Ref ref, RefLineSink out, SymbolicSink symbolic) throws IOException {
    String peeled = ref.getPeeledObjectId() == null ? "" : ref.getPeeledObjectId().name();
    byte[] bytes = (ref.getObjectId().name() + ' ' + ref.getName() + peeled).getBytes(UTF_8);
    int end = bytes.length - peeled.length();
    int at = peeled.isEmpty() ? -1 : end;
    if (ref.isSymbolic()) {
      symbolic.ref(ref, bytes, end, at);
    } else {
      out.ref(bytes, 0, end, at);
    }
  }

  @Override
  public int size() {
    return size(runs());
  }

  @Override
  public Iterator<Ref> iterator() {
    return new RefIterator(runs());
  }

  private static int size(List<Run> runs) {
    return runs.stream().mapToInt(Run::size).sum();
  }

  /**
   * Creates the refs.
   *
   * @return the refs, sorted by name as {@link String#compareTo} does
   */
  List<Ref> sorted() {
    List<Run> runs = runs();
    List<Ref> refs = new ArrayList<>(size(runs));
    new RefIterator(runs).forEachRemaining(refs::add);
    refs.sort(Comparator.comparing(Ref::getName)); // nearly sorted already: one comparison each
    return refs;
  }

  /**
   * Refs of the table that follow each other, and perhaps a ref of the manifest after them.
   *
   * @param from index of the first ref of the table
   * @param to index after the last one
   * @param then ref of the manifest that follows
   */
  private record Run(int from, int to, Optional<Ref> then) {
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
  private List<Run> runs() {
    List<Run> runs = new ArrayList<>();
    List<ManifestEntry> entries = entries();
    int next = 0;
    for (PackedRefsTable.Range range : selection.ranges(view.table())) {
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
        view.table().find(name),
        name,
        value instanceof RefValue.Direct d ? Optional.of(RefView.ref(name, d)) : Optional.empty());
  }

  private ManifestEntry symbolic(String name) {
    Optional<Ref> ref = Optional.ofNullable(view.exactRef(name));
    return new ManifestEntry(
        view.table().find(name), name, ref.filter(found -> found.getObjectId() != null));
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
          slices = view.table().slices(run.from(), run.to());
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
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.refs.table.RefLineSink;
import org.jgits3.internal.refs.table.RefTable;

/**
 * The selected refs of a view, in the order of the table. Finds single refs without listing any,
 * and creates an object only for a ref that is asked for. Immutable.
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

  private List<RefListing.Run> runs() {
    return new RefListing(view, selection).runs();
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
    return Optional.ofNullable(selection.has(name) ? view.exact(name) : null);
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
    for (RefListing.Run run : runs()) {
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
    return runs().stream().mapToInt(RefListing.Run::size).sum();
  }

  @Override
  public Iterator<Ref> iterator() {
    return new RefListing(view, selection).refs();
  }
}

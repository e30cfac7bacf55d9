// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefOrder;
import org.jgits3.manifest.RefValue;

/**
 * Refs of a view whose names have a prefix, without those with excluded prefixes. Excluded ranges
 * are found by search and never visited. Used by one thread.
 */
final class RefListing {
  private final RefView view;
  private final PackedRefsTable table;
  private final String prefix;
  private final Set<String> excludes;

  RefListing(RefView view, String prefix, Set<String> excludes) {
    this.view = view;
    this.table = view.table();
    this.prefix = prefix;
    this.excludes = excludes;
  }

  /** Overlay entry, and the position of its name in the table. */
  private record ManifestChange(int found, String name, RefValue value) {
    int at() {
      return found >= 0 ? found : -(found + 1);
    }

    /** Index of the first ref of the table that follows the entry and is not replaced by it. */
    int after() {
      return found >= 0 ? found + 1 : at();
    }
  }

  /**
   * Creates the refs.
   *
   * @return refs in order of {@link String#compareTo}
   */
  List<Ref> list() {
    List<PackedRefsTable.Range> ranges = included(table.range(prefix));
    List<ManifestChange> changes = changes();
    int most = changes.size() + view.refs().symrefs().size();
    for (PackedRefsTable.Range range : ranges) {
      most += range.size();
    }
    List<Ref> refs = new ArrayList<>(most);
    int next = 0;
    for (PackedRefsTable.Range range : ranges) {
      int at = range.from();
      while (next < changes.size() && changes.get(next).at() < range.to()) {
        ManifestChange change = changes.get(next++);
        add(refs, at, change.at());
        add(refs, change);
        at = Math.max(at, change.after());
      }
      add(refs, at, range.to());
    }
    while (next < changes.size()) {
      add(refs, changes.get(next++));
    }
    addSymbolic(refs);
    refs.sort(Comparator.comparing(Ref::getName)); // nearly sorted already: one comparison each
    return refs;
  }

  private void add(List<Ref> refs, int from, int to) {
    for (int i = from; i < to; i++) {
      refs.add(table.ref(i));
    }
  }

  private static void add(List<Ref> refs, ManifestChange change) {
    if (change.value() instanceof RefValue.Direct d) {
      refs.add(RefView.ref(change.name(), d));
    }
  }

  private void addSymbolic(List<Ref> refs) {
    for (String name : view.refs().symrefs().keySet()) {
      Ref ref = isListed(name) ? view.exact(name) : null;
      if (ref != null && ref.getObjectId() != null) {
        refs.add(ref);
      }
    }
  }

  private boolean isListed(String name) {
    return name.startsWith(prefix) && excludes.stream().noneMatch(name::startsWith);
  }

  /** Overlay entries of listed names, in the order of the table. */
  private List<ManifestChange> changes() {
    List<ManifestChange> changes = new ArrayList<>();
    for (Map.Entry<String, RefValue> e : view.refs().overlay().tailMap(prefix).entrySet()) {
      String name = e.getKey();
      if (!name.startsWith(prefix)) {
        break;
      }
      if (isListed(name)) {
        changes.add(new ManifestChange(table.find(name), name, e.getValue()));
      }
    }
    changes.sort(Comparator.comparing(ManifestChange::name, RefOrder.INSTANCE));
    return changes;
  }

  /** The parts of a range that no excluded prefix covers. */
  private List<PackedRefsTable.Range> included(PackedRefsTable.Range all) {
    List<PackedRefsTable.Range> excluded = new ArrayList<>();
    for (String exclude : excludes) {
      if (prefix.startsWith(exclude)) {
        return List.of();
      }
      if (exclude.startsWith(prefix)) {
        excluded.add(table.range(exclude));
      }
    }
    excluded.sort(Comparator.comparingInt(PackedRefsTable.Range::from));
    List<PackedRefsTable.Range> included = new ArrayList<>();
    int from = all.from();
    for (PackedRefsTable.Range range : excluded) {
      if (range.from() > from) {
        included.add(new PackedRefsTable.Range(from, range.from()));
      }
      from = Math.max(from, range.to());
    }
    if (from < all.to()) {
      included.add(new PackedRefsTable.Range(from, all.to()));
    }
    return included;
  }
}

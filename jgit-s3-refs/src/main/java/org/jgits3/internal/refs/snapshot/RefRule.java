// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.List;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefTable;

/**
 * Rule that leaves out the refs whose names it matches, or takes them in again. Immutable.
 *
 * @param text beginning of the names
 * @param whole true if the names end there or go on with a slash, as in Git's {@code hideRefs}
 * @param leavesOut true to leave the refs out, false to take them in
 */
record RefRule(String text, boolean whole, boolean leavesOut) {
  boolean matches(String name) {
    return name.startsWith(text)
        && (!whole || name.length() == text.length() || name.charAt(text.length()) == '/');
  }

  /** Ranges of a table with the refs that match. */
  List<PackedRefsTable.Range> ranges(RefTable table) {
    if (!whole) {
      return List.of(table.range(text));
    }
    PackedRefsTable.Range below = table.range(text + '/');
    int at = table.find(text);
    return at < 0 ? List.of(below) : List.of(new PackedRefsTable.Range(at, at + 1), below);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;

/**
 * Need of a server at a time when no client waits for it but slow and silent ones.
 *
 * @param name when
 * @param heap bytes of live objects: what is in use after a full collection
 * @param limited bytes of those that have limits of their own: cached blocks, refs, part buffers
 * @param threads threads
 * @param descriptors open files and connections
 */
record Stage(String name, double heap, double limited, double threads, double descriptors) {
  private static final String ENGINE = "serve";
  private static final double MIB = 1 << 20;

  /** Share of the heap by which live objects may differ. */
  private static final double HEAP_ALLOWED = 0.1;

  private static final int THREADS_ALLOWED = 16;
  private static final int DESCRIPTORS_ALLOWED = 32;

  /** Returns the same, with nothing limited. */
  Stage whole() {
    return new Stage(name, heap, 0, threads, descriptors);
  }

  /** Tells what has grown since an earlier stage, but for what has limits of its own. */
  Optional<String> grownSince(Stage earlier, long wholeHeap) {
    boolean grown =
        heap - limited - (earlier.heap - earlier.limited) > wholeHeap * HEAP_ALLOWED
            || threads - earlier.threads > THREADS_ALLOWED
            || descriptors - earlier.descriptors > DESCRIPTORS_ALLOWED;
    return grown ? Optional.of("error: " + words() + "; " + earlier.words()) : Optional.empty();
  }

  /** One line about it. */
  String words() {
    return String.format(
        Locale.ROOT,
        "%s: %.1f MiB of live heap, %.1f of them limited, %.0f threads, %.0f descriptors",
        name,
        heap / MIB,
        limited / MIB,
        threads,
        descriptors);
  }

  List<Row> rows() {
    return List.of(
        Row.of(name + ": live heap", ENGINE, Unit.MEGABYTES, Figure.exactly(heap / MIB)),
        Row.of(name + ": limited", ENGINE, Unit.MEGABYTES, Figure.exactly(limited / MIB)),
        Row.of(name + ": threads", ENGINE, Unit.COUNT, Figure.exactly(threads)),
        Row.of(name + ": descriptors", ENGINE, Unit.COUNT, Figure.exactly(descriptors)));
  }
}

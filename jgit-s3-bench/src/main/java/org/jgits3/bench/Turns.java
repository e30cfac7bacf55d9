// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;

/**
 * Engines that take turns, each round begun by another one, so that what else the machine does
 * meets all of them. An engine that fails takes no further turn, and its rows say why. Used by one
 * thread.
 *
 * @param <E> the engines
 */
public final class Turns<E extends Enum<E>> {
  private final Progress progress;
  private final String what;
  private final Function<E, String> id;
  private final Map<E, String> failures = new HashMap<>();

  /**
   * One turn.
   *
   * @param <E> the engines
   */
  @FunctionalInterface
  public interface Turn<E> {
    /**
     * Measures.
     *
     * @param engine the engine whose turn it is
     * @param round the round, from 1
     * @throws IOException if the engine fails
     * @throws InterruptedException if the thread was interrupted
     */
    void take(E engine, int round) throws IOException, InterruptedException;
  }

  /**
   * Turns that have not begun.
   *
   * @param progress told of each
   * @param what comes before the names of engines there
   * @param id name of an engine
   */
  public Turns(Progress progress, String what, Function<E, String> id) {
    this.progress = progress;
    this.what = what;
    this.id = id;
  }

  /**
   * Takes all turns.
   *
   * @param engines the engines
   * @param rounds rounds that an engine takes part in, the first ones
   * @param turn one turn
   * @throws InterruptedException if the thread was interrupted
   */
  public void take(Collection<E> engines, ToIntFunction<E> rounds, Turn<E> turn)
      throws InterruptedException {
    int most = engines.stream().mapToInt(rounds).max().orElse(0);
    for (int round = 1; round <= most; round++) {
      List<E> order = new ArrayList<>(engines);
      Collections.rotate(order, 1 - round);
      for (E engine : order) {
        if (round <= rounds.applyAsInt(engine)) {
          progress.begin(what + id.apply(engine) + ", round " + round);
          take(engine, round, turn);
        }
      }
    }
  }

  private void take(E engine, int round, Turn<E> turn) throws InterruptedException {
    if (failures.containsKey(engine)) {
      return;
    }
    try {
      turn.take(engine, round);
    } catch (IOException e) {
      Leftovers.failed();
      failures.put(engine, ErrorLine.of(e));
      progress.note(id.apply(engine) + " failed: " + ErrorLine.of(e));
    }
  }

  /**
   * The row of an engine.
   *
   * @param name the case
   * @param engine the engine
   * @param unit unit of the figure
   * @param figure what was measured, if the engine has not failed
   * @return the row
   */
  public Row row(String name, E engine, Unit unit, Supplier<Figure> figure) {
    return failures.containsKey(engine)
        ? Row.failed(name, id.apply(engine), unit, failures.get(engine))
        : Row.of(name, id.apply(engine), unit, figure.get());
  }
}

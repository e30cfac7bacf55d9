// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.served;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.git.GitEngine;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;

/**
 * Pushes to, and listings of, a repository of very many refs over HTTP, by this server and by C
 * Git's, and the figures that they are judged by.
 */
public final class ServedRefs {
  /** Refs of the small repository. */
  private static final int FEW = 10;

  private static final int MILLION = 1_000_000;
  private static final int THOUSAND = 1_000;

  private ServedRefs() {}

  /**
   * Measurements that {@link #measure} announces.
   *
   * @param context what to do
   * @return their number
   */
  public static int cases(SuiteContext context) {
    return ServedPlan.of(context.effort()).rounds() * ServedRun.ENGINES.size();
  }

  /**
   * Measures.
   *
   * @param context what to do and where
   * @param refs makes some number of refs, ordered by name; their objects are made up
   * @return all that was measured
   * @throws IOException if the repositories cannot be made
   * @throws InterruptedException if the thread was interrupted
   */
  public static List<Row> measure(SuiteContext context, IntFunction<List<Ref>> refs)
      throws IOException, InterruptedException {
    Path data = Files.createDirectories(context.data().resolve("served-" + context.refs()));
    try (ServedRun run = new ServedRun(context, ServedPlan.of(context.effort()), data)) {
      run.prepare(refs.apply(context.refs()), refs.apply(FEW));
      return run.measure();
    }
  }

  /**
   * Keys of the figures.
   *
   * @param refs number of refs, which is part of their names
   * @return the keys
   */
  public static List<String> keys(int refs) {
    return List.copyOf(figures(refs, List.of()).keySet());
  }

  /**
   * Figures by key.
   *
   * @param refs number of refs
   * @param rows what was measured
   * @return the figures; empty where something was not measured
   */
  public static Map<String, Optional<Estimate>> figures(int refs, List<Row> rows) {
    Map<String, Optional<Estimate>> figures = new LinkedHashMap<>();
    String push = "push_" + words(refs);
    Optional<Figure> small = ours(rows, ServedCase.PUSH_SMALL.server());
    figures.put(
        push + "_vs_10", Estimate.quotient(ours(rows, ServedCase.PUSH_HIDDEN.server()), small));
    figures.put(
        push + "_vs_10_all", Estimate.quotient(ours(rows, ServedCase.PUSH_ALL.server()), small));
    figures.put(push + "_vs_cgit", againstCGit(rows, ServedCase.PUSH_ALL));
    figures.put("lsremote_" + words(refs) + "_vs_cgit", againstCGit(rows, ServedCase.LS_REMOTE));
    return figures;
  }

  /** A number as part of a key: {@code 500k}, {@code 4m}. */
  private static String words(int refs) {
    if (refs % MILLION == 0) {
      return refs / MILLION + "m";
    }
    return refs % THOUSAND == 0 ? refs / THOUSAND + "k" : "" + refs;
  }

  private static Optional<Figure> ours(List<Row> rows, String name) {
    return SuiteResult.figure(rows, name, GitEngine.DIRECTORY.id());
  }

  private static Optional<Estimate> againstCGit(List<Row> rows, ServedCase what) {
    return Estimate.quotient(
        SuiteResult.figure(rows, what.both(), GitEngine.C_GIT.id()), ours(rows, what.both()));
  }
}
